// SPDX-License-Identifier: MIT
/*
 * What is found of the NICs of a machine (fake libraries, a sysfs of its own): drivers,
 * ports, links, GIDs, speeds, nearness to a device; which one a PE opens; every call that
 * fails in turn, with nothing left over.
 */
#include "unit_verbs.h"

static const struct fake_nic nics[] = {
	{ .name = "mlx5_10", .ports = 1, .port = { ROCE("10") } },
	{ .name = "mlx5_2",
	  .ports = 2,
	  .port = { { .infiniband = true, .lid = 9, UP_200G, .gids = { { "fe80::2", false } } },
		    { .infiniband = true,
		      .state = IBV_PORT_INIT,
		      .gids = { { "fe80::3", false } } } } },
	{ .name = "mlx5_1",
	  .ports = 1,
	  .port = { { UP_200G, .gids = { { "fe80::1", false },
					 { "fe80::1", true },
					 { "::ffff:10.0.0.1", false },
					 { "2001:db8::1", true },
					 { NULL, false },
					 IP4("1") } } } },
	{ .name = "mlx5_3",
	  .ports = 1,
	  .port = { { UP_200G, .gids = { { "fe80::9", false },
					 { "fe80::9", true },
					 { "fe80::a", true } } } } },
	{ .name = "mlx5_4",
	  .ports = 1,
	  .port = { { .state = IBV_PORT_DOWN, .gids = { IP4("4") } } } },
	{ .name = "mlx5_5", .ports = 1, .port = { { UP_200G } } },
	{ .name = "mlx5_6", .ports = 1, .port = { ROCE("6") }, .closed = true },
	{ .name = "mlx4_0", .ports = 1, .port = { ROCE("7") } },
	{ .name = "rxe0", .ports = 1, .port = { ROCE("8") } },
	{ .name = "bnxt_re0", .ports = 1, .port = { ROCE("11") } },
	{ .name = "rocep5s0",
	  .ports = 1,
	  .port = { { .state = IBV_PORT_ACTIVE,
		      .speed = 32,
		      .width = 1,
		      .mtu = IBV_MTU_1024,
		      .gids = { IP4("12") } } } },
};

/* The device is 0000:17:00.0, below a switch with mlx5_1 and mlx5_10. */
static void machine_fill(void)
{
	machine_device("pci0000:16/0000:16:01.0/0000:17:00.0", NULL, 0, NULL);
	machine_device("pci0000:16/0000:16:01.0/0000:18:00.0", "mlx5_core", 0, "mlx5_10");
	machine_device("pci0000:16/0000:16:01.0/0000:19:00.0", "mlx5_core", 0, "mlx5_1");
	machine_device("pci0000:16/0000:16:02.0/0000:1a:00.0", "mlx5_core", 0, "mlx5_2");
	machine_device("pci0000:30/0000:30:01.0/0000:31:00.0", "mlx5_core", 0, "mlx5_3");
	machine_device("pci0000:30/0000:30:02.0/0000:32:00.0", "mlx5_core", 1, "mlx5_4");
	machine_device("pci0000:30/0000:30:03.0/0000:33:00.0", "mlx5_core", 1, "mlx5_5");
	machine_device("pci0000:30/0000:30:04.0/0000:34:00.0", "mlx5_core", 1, "mlx5_6");
	machine_device("pci0000:30/0000:30:05.0/0000:35:00.0", "mlx4_core", 1, "mlx4_0");
	machine_device("pci0000:30/0000:30:06.0/0000:36:00.0", "bnxt_en", 1, "bnxt_re0");
	machine_device("pci0000:30/0000:30:07.0/0000:37:00.0", "ionic", 1, NULL);
	/* A NIC may be a device on the PCI device, whose driver counts. */
	machine_device("pci0000:30/0000:30:07.0/0000:37:00.0/ionic.rdma.0", NULL, -1, NULL);
	machine_dir("class/infiniband/rocep5s0");
	machine_link("class/infiniband/rocep5s0/device",
		     "devices/pci0000:30/0000:30:07.0/0000:37:00.0/ionic.rdma.0");
}

static const struct found {
	const char *name;
	int port;
	uint32_t format;
	int gid;
	uint64_t mbps;
	int shared;
	bool same_numa;
	const char *why_not;
} want[] = {
	{ "bnxt_re0", 1, NIC_BNXT, 1, 200000, 1, false, "" },
	{ "mlx4_0", 1, NIC_FORMATS, -1, 0, 1, false,
	  "kernels cannot drive it (its driver: mlx4_core)" },
	{ "mlx5_1", 1, NIC_MLX5, 5, 200000, 3, true, "" },
	{ "mlx5_2", 1, NIC_MLX5, 0, 200000, 2, true, "" },
	{ "mlx5_2", 2, NIC_MLX5, -1, 0, 2, true, "its link is not up yet" },
	{ "mlx5_3", 1, NIC_MLX5, 1, 200000, 1, true, "" },
	{ "mlx5_4", 1, NIC_MLX5, -1, 0, 1, false, "its link is down" },
	{ "mlx5_5", 1, NIC_MLX5, -1, 200000, 1, false,
	  "it has no GID: give its interface an address" },
	{ "mlx5_6", 1, NIC_MLX5, -1, 0, 1, false,
	  "it cannot be opened: Permission denied (may this" },
	{ "mlx5_10", 1, NIC_MLX5, 1, 200000, 3, true, "" },
	{ "rocep5s0", 1, NIC_IONIC, 0, 25000, 1, false, "" },
	{ "rxe0", 1, NIC_FORMATS, -1, 0, 0, false,
	  "kernels cannot drive it (its driver: unknown)" },
};

static void test_scan(const char *affinity)
{
	struct verbs_config c = machine_config();
	struct verbs_port *ports;
	size_t n;

	c.affinity = affinity;
	if (!CHECK_EQ("scan", verbs->scan(&c, &ports, &n), 0))
		return;
	CHECK_EQ("ports", n, TEST_LEN(want));
	for (size_t i = 0; i < n && i < TEST_LEN(want); i++) {
		CHECK_TEXT(ports[i].name, want[i].name);
		CHECK_EQ(want[i].name, ports[i].port, want[i].port);
		CHECK_EQ(want[i].name, ports[i].format, want[i].format);
		CHECK_EQ(want[i].name, ports[i].gid_index, want[i].gid);
		CHECK_EQ(want[i].name, ports[i].mbps, want[i].mbps);
		CHECK_EQ(want[i].name, ports[i].shared,
			 !affinity || !strncmp(ports[i].name, "rxe", 3) ? 0 : want[i].shared);
		CHECK_EQ(want[i].name, ports[i].same_numa, affinity && want[i].same_numa);
		CHECK_TEXT(ports[i].why_not, want[i].why_not);
		CHECK(*want[i].why_not || !*ports[i].why_not);
	}
	free(ports);
	CHECK_EQ("left", fake_live(true), 0);
}

/* What a PE opens, and what the reason says. */
static const struct choice {
	const char *list, *affinity;
	int turn, gid;
	const char *want; /* in verbs->why(), or after ! in the error */
} choices[] = {
	{ NULL, "0000:17:00.0", 0, -1, "mlx5_1 port 1, the nearest of 6" },
	{ NULL, "0000:17:00.0", 1, -1, "mlx5_10 port 1, the nearest" },
	{ NULL, "00000000:17:00.0", 1, -1, "mlx5_10 port 1, the nearest" },
	{ "^mlx5_1,mlx5_10", "0000:17:00.0", 0, -1, "mlx5_2 port 1, the nearest" },
	{ "mlx5_3,bnxt", "0000:17:00.0", 0, -1, "mlx5_3 port 1, the nearest of 2" },
	{ "rocep5s0", NULL, 0, -1, "rocep5s0 port 1, the fastest of 1" },
	{ NULL, "0000:99:00.0", 0, -1,
	  "bnxt_re0 port 1" }, /* no such device: as if all were equally close */
	{ "mlx5_1", NULL, 0, 3, "mlx5_1 port 1" },
	{ "mlx5_1", NULL, 0, 4, "!mlx5_1 port 1: there is no GID at index 4 (MORI_IB_GID_INDEX)" },
	{ "mlx5_1", NULL, 0, 77, "!there is no GID at index 77" },
	{ "mlx5_6", NULL, 0, -1, "!mlx5_6 port 1: it cannot be opened" },
	{ "mlx5_2:2", NULL, 0, -1, "!mlx5_2 port 2: its link is not up yet" },
	{ "mlx5_7", NULL, 0, -1, "!there is no mlx5_7 here" },
};

static void test_choices(void)
{
	for (size_t i = 0; i < TEST_LEN(choices); i++) {
		const struct choice *ch = &choices[i];
		struct verbs_config c = machine_config();
		struct verbs *v = NULL;
		int err;

		c.devices = ch->list;
		c.affinity = ch->affinity;
		c.turn = ch->turn;
		c.gid_index = ch->gid;
		err = verbs->open(&c, &v);
		CHECK_EQ(ch->want, !err, *ch->want != '!');
		CHECK_TEXT(err ? err_text() : verbs->why(v), ch->want + (*ch->want == '!'));
		if (!err && ch->gid >= 0)
			CHECK_EQ("GID", verbs->port(v)->gid_index, ch->gid);
		if (!err)
			verbs->close(v);
		CHECK_EQ("left", fake_live(true), 0);
	}
}

/* Every call fails once: an error, or another NIC; nothing stays open. */
static void test_faults(void)
{
	struct verbs_config c = machine_config();
	int calls, opened = 0, failed = 0;
	struct verbs *v;

	fake_fail(0);
	CHECK_EQ("open", verbs->open(&c, &v), 0);
	verbs->close(v);
	calls = fake_fail(0);
	CHECK(calls > 20);
	for (int nth = 1; nth <= calls; nth++) {
		int err;

		fake_fail(nth);
		v = NULL;
		err = verbs->open(&c, &v);
		fake_fail(0);
		CHECK(err <= 0 && !err == !!v);
		opened += !err;
		failed += err != 0;
		if (!err)
			verbs->close(v);
		CHECK_EQ("left", fake_live(true), 0);
	}
	CHECK(opened && failed);
	fake_nics(NULL, 0);
	CHECK_EQ("no NIC", verbs->open(&c, &v), MORI_SHMEM_ENOENT);
	CHECK_TEXT(err_text(), "there is no NIC here that kernels can drive");
}

int main(void)
{
	if (machine_open())
		return 1;
	machine_fill();
	fake_nics(nics, TEST_LEN(nics));
	test_scan("0000:17:00.0");
	test_scan(NULL);
	test_choices();
	test_faults();
	machine_close();
	return test_result();
}
