#include "core/log/checkpoint_content.hpp"

#include "core/log/checkpoint_columns.hpp"

namespace birdfoot {
namespace {

std::string SidecarPath(const LogSegment &segment, std::string_view path) {
    // Sidecars stand in the table's own folder, whatever folder they are named with.
    const auto decoded = DecodePath(path);
    return fmt::format("{}/{}/{}", segment.log_folder, kSidecarFolder, decoded.substr(decoded.rfind('/') + 1));
}

Status ReadSidecars(const Engine &engine, const LogSegment &segment, const std::string &head,
                    std::vector<std::string> &bodies, const Call &call) {
    BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
    Columns columns("sidecar");
    const size_t path = columns.Want({"path"}, ColumnKind::kString);
    ReadRequest request;
    request.files = {head};
    request.columns = columns.requests;
    request.any_not_null = {{"sidecar", "path"}};
    return parquet->Read(
        request,
        [&](const ReadBatch &batch) -> Status {
            for (size_t row = 0; row < batch.rows; ++row) {
                if (const auto name = TextAt(batch.columns[path], row)) {
                    bodies.push_back(SidecarPath(segment, *name));
                }
            }
            return {};
        },
        call);
}

}  // namespace

Result<std::shared_ptr<ParquetIo>> ParquetOf(const Engine &engine, const LogSegment &segment) {
    if (!engine.parquet) {
        return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                    "Checkpoint {} is Parquet, and no Parquet reader was given. Embed the engine with one.",
                    segment.checkpoint->files.front());
    }
    return engine.parquet;
}

Result<CheckpointContent> OpenCheckpoint(const Engine &engine, const LogSegment &segment, bool with_sidecars,
                                         const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const auto &checkpoint = *segment.checkpoint;
    CheckpointContent content;
    if (checkpoint.kind == CheckpointKind::kV2Json) {
        BF_ASSIGN(const auto text, engine.store->Get(checkpoint.files.front(), std::nullopt, call));
        BF_RETURN_IF_ERROR(ParseActions(text, checkpoint.files.front(), [&](Action &&action) -> Status {
            if (const auto *sidecar = std::get_if<Sidecar>(&action)) {
                content.bodies.push_back(SidecarPath(segment, sidecar->path));
            }
            content.manifest.push_back(std::move(action));
            return {};
        }));
        return content;
    }
    content.heads = content.bodies = checkpoint.files;
    if (with_sidecars && checkpoint.kind != CheckpointKind::kMultiPart) {
        BF_RETURN_IF_ERROR(ReadSidecars(engine, segment, checkpoint.files.front(), content.bodies, call));
    }
    return content;
}

}  // namespace birdfoot
