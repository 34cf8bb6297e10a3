#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/kfd/topology.sh FOLDER GPUS gfx942|gfx950|gfx90a
# What /sys/devices/virtual/kfd/kfd/topology has on a machine with so many GPUs, in FOLDER: the
# processor is node 0, each GPU is linked with it and with all others.
set -eu
folder=$1 gpus=$2
case $3 in
gfx90a) version=90010 ;;
gfx942) version=90402 ;;
gfx950) version=90500 ;;
*)
	echo "no GPU $3: gfx90a, gfx942 and gfx950 are known" >&2
	exit 2
	;;
esac
vram=$((8 << 30)) # as in ioctl.c

# file PATH KEY VALUE...: lines of a key and a value
file() {
	path=$folder/$1
	shift
	mkdir -p "${path%/*}"
	printf '%s %s\n' "$@" >"$path"
}

# link NODE NUMBER TO TYPE WEIGHT: type 2 is PCIe, 11 is XGMI
link() {
	file "nodes/$1/io_links/$2/properties" type "$4" version_major 0 version_minor 0 node_from "$1" node_to "$3" \
		weight "$5" min_latency 0 max_latency 0 min_bandwidth 0 max_bandwidth 0 recommended_transfer_size 0 \
		recommended_sdma_engine_id_mask 0 flags 1
}

# cache NODE NUMBER LEVEL KIB
cache() {
	file "nodes/$1/caches/$2/properties" processor_id_low $((0x80000000 + 16 * $1)) level "$3" size "$4" \
		cache_line_size 128 cache_lines_per_tag 1 association 16 latency 0 type 9 \
		sibling_map 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
}

mkdir -p "$folder"
echo 1 >"$folder/generation_id"
file system_properties platform_oem 0 platform_id 0 platform_rev 0

file nodes/0/properties cpu_cores_count 2 simd_count 0 mem_banks_count 1 caches_count 0 io_links_count "$gpus" \
	p2p_links_count 0 cpu_core_id_base 0 simd_id_base 0 max_waves_per_simd 0 lds_size_in_kb 0 gds_size_in_kb 0 \
	num_gws 0 wave_front_size 0 array_count 0 simd_arrays_per_engine 0 cu_per_simd_array 0 simd_per_cu 0 \
	max_slots_scratch_cu 0 gfx_target_version 0 vendor_id 0 device_id 0 location_id 0 domain 0 drm_render_minor 0 \
	hive_id 0 num_sdma_engines 0 num_sdma_xgmi_engines 0 num_sdma_queues_per_engine 0 num_cp_queues 0 \
	max_engine_clk_ccompute 2500
echo 0 >"$folder/nodes/0/gpu_id"
echo cpu >"$folder/nodes/0/name"
file nodes/0/mem_banks/0/properties heap_type 0 size_in_bytes $((16 << 30)) flags 0 width 64 mem_clk_max 2400

node=1
while [ $node -le "$gpus" ]; do
	file nodes/$node/properties cpu_cores_count 0 simd_count 16 mem_banks_count 1 caches_count 3 \
		io_links_count "$gpus" p2p_links_count 0 cpu_core_id_base 0 simd_id_base $((0x80000000 + 16 * node)) \
		max_waves_per_simd 8 lds_size_in_kb 64 gds_size_in_kb 0 num_gws 64 wave_front_size 64 array_count 1 \
		simd_arrays_per_engine 1 cu_per_simd_array 4 simd_per_cu 4 max_slots_scratch_cu 32 \
		gfx_target_version $version vendor_id 4098 device_id 29857 location_id $((256 * node)) domain 0 \
		drm_render_minor $((127 + node)) hive_id 4660 num_sdma_engines 2 num_sdma_xgmi_engines 0 \
		num_sdma_queues_per_engine 8 num_cp_queues 24 max_engine_clk_fcompute 2100 local_mem_size $vram \
		fw_version 150 capability $((0x2a80)) debug_prop 0 sdma_fw_version 19 unique_id $((4096 + node)) num_xcc 1 \
		max_engine_clk_ccompute 2500
	echo $((node + 1)) >"$folder/nodes/$node/gpu_id"
	echo aqua_vanjaram >"$folder/nodes/$node/name"
	file nodes/$node/mem_banks/0/properties heap_type 1 size_in_bytes $vram flags 0 width 8192 mem_clk_max 1300
	cache $node 0 1 32
	cache $node 1 2 4096
	cache $node 2 3 262144
	link 0 $((node - 1)) $node 2 20
	link $node 0 0 2 20
	number=1 to=1
	while [ $to -le "$gpus" ]; do
		[ $to = $node ] || { link $node $number $to 11 15 && number=$((number + 1)); }
		to=$((to + 1))
	done
	node=$((node + 1))
done
