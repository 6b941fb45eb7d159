// Reading checkpoints: to follow with the next push.
#include "core/log/checkpoint_reader.hpp"

namespace birdfoot {
namespace {
Error NotYet(const LogSegment &segment) {
    return Fail(Condition::BIRDFOOT_UNSUPPORTED, "Checkpoint {} cannot be read yet.", segment.checkpoint->files.front());
}
}  // namespace

Result<TableState> ReadCheckpointState(const Engine &, const LogSegment &segment, const Call &) {
    return NotYet(segment);
}
Result<TableExtras> ReadCheckpointExtras(const Engine &, const LogSegment &segment, const Call &) {
    return NotYet(segment);
}
Status ReadCheckpointFiles(const Engine &, const LogSegment &segment, const FileRequest &, const KeySet &,
                           const std::function<void(int64_t)> &, const std::function<Status(AddFile &&)> &,
                           const Call &) {
    return NotYet(segment);
}
Status ReadCheckpointTombstones(const Engine &, const LogSegment &segment, int64_t, const KeySet &,
                                const std::function<Status(RemoveFile &&)> &, const Call &) {
    return NotYet(segment);
}

}  // namespace birdfoot
