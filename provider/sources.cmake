# The provider's source files, for CMakeLists.txt and rox.cmake.
set(ROX_SOURCES
  abi_guard.c
  ah.c
  cq.c
  cq_poll.c
  cq_poll_ex.c
  cq_resize.c
  doorbell.c
  map.c
  mr.c
  pd.c
  poller.c
  post.c
  post_ex.c
  qp.c
  query.c
  rox.c
  )

# The major version is not in config.h, and IBVERBS_PABI_VERSION is no
# substitute for it; see compat.h.
string(REGEX REPLACE "\\..*" "" ROX_RDMA_CORE_MAJOR "${PACKAGE_VERSION}")
