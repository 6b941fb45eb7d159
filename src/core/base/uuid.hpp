// Random UUIDs (version 4): table ids, file names, physical column names, transaction ids.
#pragma once

#include <string>

namespace birdfoot {

//! "d2c639aa-8816-431a-aaf6-d3fe2512ff61". Thread-safe; unique across forks too, since the bytes come from the system.
std::string RandomUuid();

}  // namespace birdfoot
