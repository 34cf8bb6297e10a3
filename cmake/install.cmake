# SPDX-License-Identifier: MIT
# What `make install` puts where. Everything installed finds the rest by
# relative paths, so the tree may be moved.

if(NOT TARGET mori_shmem)
	return()
endif()
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mori DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	FILES_MATCHING PATTERN "*.h")
install(TARGETS mori_shmem EXPORT mori_shmem_targets DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mori_shmem)
install(EXPORT mori_shmem_targets NAMESPACE mori:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mori_shmem-config.cmake.in
	${PROJECT_BINARY_DIR}/mori_shmem-config.cmake INSTALL_DESTINATION ${package_dir}
	PATH_VARS MORI_BITCODE_INSTALL_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mori_shmem-config-version.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mori_shmem-config.cmake
	${PROJECT_BINARY_DIR}/mori_shmem-config-version.cmake DESTINATION ${package_dir})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Relative to the file itself, so that the tree may be moved; absolute folders stay what they are.
mori_relative(to_prefix ${pc_dir} .)
set(MORI_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(to_prefix)
	set(MORI_PC_PREFIX "\${pcfiledir}/${to_prefix}")
endif()
foreach(kind LIB INCLUDE)
	set(MORI_PC_${kind}DIR "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
	if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
		set(MORI_PC_${kind}DIR ${CMAKE_INSTALL_${kind}DIR})
	endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/mori_shmem.pc.in ${PROJECT_BINARY_DIR}/mori_shmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mori_shmem.pc DESTINATION ${pc_dir})

foreach(section 1 3 5 7)
	file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
	install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
# Pages that the build makes, in folders of their section.
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL
	FILES_MATCHING PATTERN "*.[1-8]")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
	${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
	FILES_MATCHING PATTERN "*.md" PATTERN "man" EXCLUDE PATTERN "perf" EXCLUDE)

# The last rule of all: what `make uninstall` removes, with what earlier installations to the same
# place have left there.
install(CODE [[
	set(files ${CMAKE_INSTALL_MANIFEST_FILES})
	if(EXISTS "${MORI_INSTALL_RECORD}.files")
		file(STRINGS "${MORI_INSTALL_RECORD}.files" earlier)
		list(APPEND files ${earlier})
		list(REMOVE_DUPLICATES files)
	endif()
	list(JOIN files "\n" files)
	file(WRITE "${MORI_INSTALL_RECORD}.files" "${files}\n")]])
