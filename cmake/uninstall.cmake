# SPDX-License-Identifier: MIT
# Takes an installation away again: cmake -DBUILD=folder -DPREFIX=prefix -P cmake/uninstall.cmake,
# with DESTDIR as it was when it was installed. Only files that the installation put there go, and
# only folders that it made and that are empty by then.

cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/record.cmake)
get_filename_component(BUILD "${BUILD}" ABSOLUTE)
mori_record(record destdir "${BUILD}" "${PREFIX}")
if(NOT EXISTS ${record}.files)
	message(FATAL_ERROR "Nothing is known of an installation of ${BUILD} to ${destdir}${PREFIX}: "
		"there is no manifest of it. PREFIX and DESTDIR must be those of `make install`.")
endif()

set(files 0)
set(folders)
file(STRINGS ${record}.files installed)
foreach(file IN LISTS installed)
	set(path "${destdir}${file}")
	if(EXISTS "${path}" OR IS_SYMLINK "${path}")
		file(REMOVE "${path}")
		if(EXISTS "${path}" OR IS_SYMLINK "${path}")
			message(FATAL_ERROR "${path} cannot be removed: is it yours?")
		endif()
		math(EXPR files "${files} + 1")
	endif()
	get_filename_component(folder "${path}" DIRECTORY)
	while(NOT "${folder}" IN_LIST folders AND NOT folder MATCHES "^/?$")
		list(APPEND folders "${folder}")
		get_filename_component(folder "${folder}" DIRECTORY)
	endwhile()
endforeach()

# rmdir refuses folders that are not empty. In this order a folder comes after what is in it.
list(SORT folders ORDER DESCENDING)
file(STRINGS ${record}.before before)
foreach(folder IN LISTS folders)
	if(NOT "${folder}" IN_LIST before)
		execute_process(COMMAND rmdir -- "${folder}" ERROR_QUIET)
	endif()
endforeach()
file(REMOVE ${record}.files ${record}.before)
message(STATUS "Removed ${files} files from ${destdir}${PREFIX}")
