# Given to an untouched rdma-core tree as CMAKE_PROJECT_rdma-core_INCLUDE. Runs
# right after its project() command; the provider needs what comes later, and
# by then CMAKE_CURRENT_LIST_DIR is another.
set(ROX_DIR "${CMAKE_CURRENT_LIST_DIR}")
cmake_language(DEFER CALL include "${ROX_DIR}/rox.cmake")
