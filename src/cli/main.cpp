// The `birdfoot` command: reads the command line and hands over to a subcommand.
#include "duckdb.hpp"
#include "duckdb/extension.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include <iostream>

int main(int argc, char **argv) {
    duckdb::DuckDB database(nullptr);
    duckdb::ExtensionLoader loader(*database.instance, "birdfoot");
    birdfoot::duck::LoadExtension(loader);
    duckdb::Connection connection(database);
    auto result = connection.Query(argc > 1 ? argv[argc - 1] : "SELECT 1");
    if (result->HasError()) {
        std::cerr << result->GetError() << "\n";
        return 1;
    }
    std::cout << result->ToString();
    return 0;
}
