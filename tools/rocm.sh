#!/bin/sh
# SPDX-License-Identifier: MIT
# AMD's own ROCm (HIP, the runtime below it, the compiler that it loads) in a folder of the cache,
# from Debian's packages, and programs that run on it. The system is not touched, and root is not
# needed.
#
#	tools/rocm.sh get [VERSION...]	fetch and unpack what is not there yet; default: all versions
#	tools/rocm.sh check VERSION	say what is missing and end with 1, or end with 0
#	tools/rocm.sh run VERSION PROGRAM [ARG...]
#					run a program on it, under the loader of its folder
#	tools/rocm.sh list VERSION	what the mirror has today, as lines for tools/rocm.list
#	tools/rocm.sh versions		the versions of tools/rocm.list
#
# tools/rocm.list has the packages with their versions and checksums. Where the mirror has moved on
# to another revision of a package, that one is taken, and said; another version of AMD's own is an
# error. apt checks all of it by Debian's signatures.
#
#	ROCM_CACHE	where the folders are; default .cache/rocm of the sources
#	ROCM_MIRROR	the URI of a mirror of Debian; default: the one in apt's sources
#	ROCM_PRELOAD	a library that `run` loads before all others
set -u

here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
list=$here/tools/rocm.list
cache=${ROCM_CACHE:-$here/.cache/rocm}
suites='trixie sid experimental'
prefer=trixie # where a package is in several suites
libs=usr/lib/x86_64-linux-gnu
loader=$libs/ld-linux-x86-64.so.2
keys=/usr/share/keyrings/debian-archive-keyring.gpg

usage() {
	sed -n '/^# AMD/,/^set/s/^# \{0,1\}//p' "$0"
}

die() {
	echo "rocm: $*" >&2
	exit 1
}

packages() { # VERSION: its lines, without the version
	sed -nE "s/^$1[[:blank:]]+([^#])/\1/p" "$list"
}

versions() {
	sed -nE 's/^([0-9][^[:blank:]]*)[[:blank:]].*/\1/p' "$list" | sort -u
}

known() {
	[ -n "$(packages "$1")" ] || die "there is no ROCm $1 in tools/rocm.list; it has" $(versions)
}

# What this list and this way of unpacking made.
stamp() {
	packages "$1" | cksum | tr ' ' -
}

there() {
	[ -f "$cache/$1/made-by.$(stamp "$1")" ]
}

# A mirror of Debian in the machine's own sources of apt, without -security and the like.
mirror() {
	if [ -n "${ROCM_MIRROR:-}" ]; then
		echo "$ROCM_MIRROR"
		return
	fi
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		grep -E '/debian/?$' | head -n 1
}

# The same apt, with its proxies and settings, but with sources and a state of its own.
apt() {
	command=$1
	shift
	"$command" -qq -o Dir::State="$tmp" -o Dir::State::Lists="$tmp/lists" -o Dir::State::status="$tmp/status" \
		-o Dir::Cache="$tmp/cache" -o Dir::Etc::SourceList="$tmp/sources" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences="$tmp/preferences" -o Dir::Etc::PreferencesParts=/dev/null \
		-o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::Retries=2 -o Debug::NoLocking=1 "$@" </dev/null
}

# Sets tmp, with what the mirror has.
open_mirror() {
	[ "$(uname -m)" = x86_64 ] || die "Debian's packages for x86_64 do not run on $(uname -m)"
	for tool in apt-get apt-cache dpkg-deb; do
		command -v $tool >/dev/null 2>&1 || die "no $tool: the packages come by apt, from a mirror of Debian"
	done
	[ -r $keys ] || die "no $keys (package debian-archive-keyring): the packages could not be checked"
	uri=$(mirror)
	[ -n "$uri" ] || die "no mirror of Debian in apt's sources; set ROCM_MIRROR to the URI of one"
	mkdir -p "$cache" || exit 1
	tmp=$(mktemp -d "$cache/get.XXXXXX") || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 143' HUP INT TERM
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial" "$tmp/debs"
	: >"$tmp/status"
	for suite in $suites; do
		echo "deb [arch=amd64 signed-by=$keys] $uri $suite main"
	done >"$tmp/sources"
	printf 'Package: *\nPin: release n=%s\nPin-Priority: 990\n' $prefer >"$tmp/preferences"
	echo "rocm: reading what $uri has in $suites"
	apt apt-get update >"$tmp/log" 2>&1 || die "apt-get update failed: $(tail -n 3 "$tmp/log")"
}

# 7.2.4+dfsg-1~exp1 becomes 7.2.4
upstream() {
	echo "$1" | sed -E 's/^[0-9]+://; s/-[^-]*$//; s/[+~].*//'
}

# The versions of a package in the mirror, by the table that read_versions makes.
versions_of() {
	sed -n "s/^$1 //p" "$tmp/versions"
}

read_versions() { # PACKAGE...; one call, because each takes apt half a second
	apt apt-cache madison "$@" | tr -d ' ' | tr '|' ' ' | cut -d ' ' -f 1,2 | sort -u >"$tmp/versions"
}

# choose MARK PACKAGE VERSION: which version of it to take, or nothing.
choose() {
	has=$(versions_of "$2")
	if echo "$has" | grep -qxF "$3"; then
		echo "$3"
		return
	fi
	[ -n "$has" ] || return
	if [ "$1" = any ]; then
		apt apt-cache policy "$2" | sed -n 's/^ *Candidate: //p'
		return
	fi
	for version in $has; do
		if [ "$(upstream "$version")" = "$(upstream "$3")" ]; then
			echo "$version"
			return
		fi
	done
}

fetch() { # VERSION
	packages "$1" >"$tmp/packages"
	: >"$tmp/sums"
	read_versions $(awk '{ print $2 }' "$tmp/packages")
	set --
	while read -r mark package version sum; do
		take=$(choose "$mark" "$package" "$version")
		if [ -z "$take" ]; then
			echo "rocm: the mirror has no $package $version; it has:" \
				$(versions_of "$package") >&2
			echo "rocm: name an older mirror by ROCM_MIRROR, or change tools/rocm.list" \
				"(tools/rocm.sh list prints lines for it)" >&2
			exit 1
		fi
		if [ "$take" = "$version" ]; then
			echo "$sum  ${package}_$(echo "$version" | sed 's/:/%3a/g')_" >>"$tmp/sums"
		else
			echo "rocm: the mirror has no $package $version any more; taking $take"
		fi
		set -- "$@" "$package=$take"
	done <"$tmp/packages"
	rm -f "$tmp/debs"/*
	(cd "$tmp/debs" && apt apt-get download "$@") >"$tmp/log" 2>&1 ||
		die "could not download: $(tail -n 3 "$tmp/log")"
	while read -r sum name; do
		echo "$sum  $(cd "$tmp/debs" && echo "$name"*.deb)"
	done <"$tmp/sums" >"$tmp/checks"
	(cd "$tmp/debs" && sha256sum --quiet --strict -c "$tmp/checks") >"$tmp/log" 2>&1 ||
		die "a package is not the one of tools/rocm.list: $(head -n 1 "$tmp/log")"
}

unpack() { # VERSION: to its folder, whole or not at all
	mkdir "$tmp/tree"
	for deb in "$tmp/debs"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/tree" || die "could not unpack $deb"
	done
	rm -rf "$tmp/tree/usr/share/doc" "$tmp/tree/usr/share/man" "$tmp/tree/usr/share/locale"
	# Another revision may need what the list does not have; the system's would be another matter.
	for lib in "$tmp/tree/$libs"/libamdhip64.so.? "$tmp/tree/$libs"/libamd_comgr.so.?; do
		lacks=$("$tmp/tree/$loader" --library-path "$tmp/tree/$libs" --list "$lib" 2>&1 |
			grep -v "linux-vdso\|$tmp/tree/" | sed 's/ => .*//')
		[ -z "$lacks" ] || die "${lib##*/} lacks" $lacks "(tools/rocm.sh list prints what apt would take today)"
	done
	: >"$tmp/tree/made-by.$(stamp "$1")"
	rm -rf "${cache:?}/${1:?}"
	mv "$tmp/tree" "$cache/$1" || exit 1
}

get() {
	tmp=
	for rocm in "$@"; do
		known "$rocm"
		there "$rocm" && continue
		[ -n "$tmp" ] || open_mirror
		echo "rocm: fetching ROCm $rocm: $(packages "$rocm" | wc -l) packages"
		fetch "$rocm"
		size=$(du -sm "$tmp/debs" | cut -f 1)
		unpack "$rocm"
		echo "rocm: ROCm $rocm is in $cache/$rocm ($size MiB of packages)"
	done
}

check() {
	known "$1"
	there "$1" && return
	echo "ROCm $1 is not in $cache: tools/rocm.sh get $1"
	return 1
}

run() {
	check "$1" >&2 || exit 1
	root=$cache/$1
	shift
	program=$(command -v "$1") || die "no program $1"
	shift
	path=$root/$libs
	[ -z "${LD_LIBRARY_PATH:-}" ] || path=$LD_LIBRARY_PATH:$path
	exec "$root/$loader" --library-path "$path" \
		${ROCM_PRELOAD:+--preload "$ROCM_PRELOAD"} --argv0 "$program" "$program" "$@"
}

# The packages of AMD's, and those that they need, with what apt would install today.
list_today() {
	known "$1"
	open_mirror >&2
	packages "$1" | sed -n 's/^amd[[:blank:]]*//p' >"$tmp/packages"
	read_versions $(awk '{ print $1 }' "$tmp/packages")
	set -- "$1"
	while read -r package version sum; do
		take=$(choose amd "$package" "$version")
		set -- "$@" "$package=${take:-$version}"
	done <"$tmp/packages"
	rocm=$1
	shift
	apt apt-get install -s --no-install-recommends "$@" >"$tmp/log" 2>&1 || die "$(tail -n 5 "$tmp/log")"
	sed -nE 's/^Inst ([^ ]+) \(([^ ]+) .*/\1=\2/p' "$tmp/log" >"$tmp/packages"
	apt apt-cache show $(cat "$tmp/packages") |
		awk -v rocm="$rocm" -v amd=" $* " '
			/^Package: / { package = $2 }
			/^Version: / { version = $2 }
			/^SHA256: / {
				mark = index(amd, " " package "=") ? "amd" : "any"
				print rocm "\t" mark "\t" package "\t" version "\t" $2
			}' | sort -u
}

case ${1:-} in
get)
	shift
	[ $# -gt 0 ] || set -- $(versions)
	get "$@"
	;;
check | list)
	[ $# = 2 ] || { usage >&2 && exit 2; }
	case $1 in check) check "$2" ;; *) list_today "$2" ;; esac
	;;
run)
	[ $# -ge 3 ] || { usage >&2 && exit 2; }
	shift
	run "$@"
	;;
versions) versions ;;
-h | --help) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
