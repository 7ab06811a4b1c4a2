# Adds the provider to the rdma-core tree that is being configured. Included,
# not add_subdirectory()'d, which a deferred call may not do. ROX_DIR is from
# inject.cmake.
set(ROX_ABI "${ROX_DIR}/../include/uapi/rdma/rox-abi.h")
include("${ROX_DIR}/sources.cmake")

# What kernel-headers/CMakeLists.txt does for the headers it knows.
set(ROX_KERNEL_ABI "${BUILD_INCLUDE}/kernel-abi/rox-abi.h")
add_custom_command(
  OUTPUT "${ROX_KERNEL_ABI}"
  COMMAND "${PYTHON_EXECUTABLE}"
    "${PROJECT_SOURCE_DIR}/buildlib/make_abi_structs.py"
    "${ROX_ABI}" "${ROX_KERNEL_ABI}"
  DEPENDS "${ROX_ABI}" "${PROJECT_SOURCE_DIR}/buildlib/make_abi_structs.py"
  VERBATIM)
rdma_create_symlink("${ROX_ABI}" "${BUILD_INCLUDE}/rdma/rox-abi.h")

list(TRANSFORM ROX_SOURCES PREPEND "${ROX_DIR}/")
rdma_provider(rox ${ROX_SOURCES} "${ROX_KERNEL_ABI}")

set(ROX_TARGET "rox-rdmav${IBVERBS_PABI_VERSION}")
target_compile_definitions(${ROX_TARGET}
  PRIVATE RDMA_CORE_MAJOR=${ROX_RDMA_CORE_MAJOR})
# On top of rdma-core's own -Wall -Wextra.
target_compile_options(${ROX_TARGET} PRIVATE -Werror
  "-ffile-prefix-map=${ROX_DIR}=provider")
target_link_libraries(${ROX_TARGET} LINK_PRIVATE ${CMAKE_DL_LIBS})
