# SPDX-License-Identifier: MIT
# Where things lie, in the build folder and once installed.

include(GNUInstallDirs)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# Programs find the library by a path relative to their own, wherever the tree is moved to.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# The device library, one folder per target. `mori cc` expects it beside libmori_shmem.so.
set(MORI_BITCODE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/mori)

# For `make uninstall`: some of these folders may be there before anything is installed.
set(shared_folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_LIBDIR}/mori
	${CMAKE_INSTALL_LIBDIR}/cmake/mori_shmem ${CMAKE_INSTALL_LIBDIR}/pkgconfig
	${CMAKE_INSTALL_LIBEXECDIR}/mori ${CMAKE_INSTALL_DATADIR}/mori ${CMAKE_INSTALL_DOCDIR}
	${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
foreach(section 1 3 5 7)
	list(APPEND shared_folders ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(CODE "
	set(MORI_FOLDERS \"${shared_folders}\")
	set(MORI_BUILD \"${PROJECT_BINARY_DIR}\")
	include(\"${PROJECT_SOURCE_DIR}/cmake/installing.cmake\")")

# mori_relative(out from to): the path from one install folder to another if both move with
# the prefix; empty if one of them is absolute.
function(mori_relative out from to)
	set(path)
	if(NOT IS_ABSOLUTE "${from}" AND NOT IS_ABSOLUTE "${to}")
		file(RELATIVE_PATH path /${from} /${to})
		string(REGEX REPLACE "/$" "" path "${path}")
	endif()
	set(${out} "${path}" PARENT_SCOPE)
endfunction()

# mori_install_program(target folder): installed there, it finds the library.
function(mori_install_program target folder)
	mori_relative(to_lib ${folder} ${CMAKE_INSTALL_LIBDIR})
	set(rpath ${CMAKE_INSTALL_FULL_LIBDIR})
	if(to_lib)
		set(rpath "$ORIGIN/${to_lib}")
	endif()
	set_target_properties(${target} PROPERTIES INSTALL_RPATH "${rpath}")
	install(TARGETS ${target} DESTINATION ${folder})
endfunction()
