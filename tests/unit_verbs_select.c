// SPDX-License-Identifier: MIT
/*
 * Which NIC a PE takes: the list of MORI_RDMA_DEVICES with all its mistakes, nearness,
 * speed, turns; and which GIDs are better than others.
 */
#include "net/verbs.h"
#include "test.h"
#include "util/err.h"

#include <arpa/inet.h>

#define G(n) ((n) * 1000ull)

/* A machine of two sockets; the GPU shares a switch with mlx5_0 and mlx5_1. */
static const struct verbs_port machine[] = {
	{ .name = "bnxt_re0", .port = 1, .mbps = G(100), .shared = 0 },
	{ .name = "mlx5_0", .port = 1, .mbps = G(200), .shared = 4, .same_numa = true },
	{ .name = "mlx5_0", .port = 2, .mbps = G(200), .shared = 4, .same_numa = true },
	{ .name = "mlx5_1", .port = 1, .mbps = G(200), .shared = 4, .same_numa = true },
	{ .name = "mlx5_2", .port = 1, .mbps = G(400), .shared = 1, .same_numa = true },
	{ .name = "mlx5_3", .port = 1, .mbps = G(400), .shared = 0, .same_numa = true },
	{ .name = "mlx5_10", .port = 1, .mbps = G(400), .shared = 0 },
	{ .name = "mlx5_11",
	  .port = 1,
	  .mbps = G(400),
	  .shared = 0,
	  .why_not = "its link is down" },
	{ .name = "rocep1s0", .port = 1, .mbps = G(25), .shared = 0 },
};

#define GPU "0000:17:00.0"

static const struct row {
	const char *list, *affinity;
	int turn;
	bool in_turn;
	const char *want; /* name:port, or after ! what the error says */
} rows[] = {
	/* Nearness, then speed, then turns. */
	{ NULL, GPU, 0, false, "mlx5_0:1" },
	{ NULL, GPU, 1, false, "mlx5_0:2" },
	{ NULL, GPU, 2, false, "mlx5_1:1" },
	{ NULL, GPU, 3, false, "mlx5_0:1" },
	{ NULL, GPU, 7, false, "mlx5_0:2" },
	{ NULL, NULL, 0, false, "mlx5_2:1" },
	{ NULL, NULL, 1, false, "mlx5_3:1" },
	{ NULL, NULL, 2, false, "mlx5_10:1" },
	{ NULL, NULL, 3, false, "mlx5_2:1" },
	{ "", GPU, 0, false, "mlx5_0:1" },
	{ NULL, GPU, -1, false, "mlx5_0:1" },
	/* MORI_DISABLE_TOPO: all, in turn, but those that cannot be used. */
	{ NULL, GPU, 0, true, "bnxt_re0:1" },
	{ NULL, GPU, 4, true, "mlx5_2:1" },
	{ NULL, GPU, 6, true, "mlx5_10:1" },
	{ NULL, GPU, 7, true, "rocep1s0:1" },
	{ NULL, GPU, 8, true, "bnxt_re0:1" },
	/* Names, ports, beginnings. */
	{ "mlx5_1", GPU, 0, false, "mlx5_1:1" },
	{ "mlx5_1", GPU, 5, false, "mlx5_1:1" },
	{ "mlx5_10", GPU, 0, false, "mlx5_10:1" },
	{ "mlx5_0:2", GPU, 0, false, "mlx5_0:2" },
	{ "mlx5_2,mlx5_3", GPU, 0, false, "mlx5_2:1" },
	{ "mlx5_3,mlx5_10", GPU, 0, false, "mlx5_3:1" },
	{ " mlx5_3 ,\tmlx5_10 ", GPU, 0, false, "mlx5_3:1" },
	{ "mlx5_3,mlx5_10", NULL, 1, false, "mlx5_10:1" },
	{ "mlx5", GPU, 2, false, "mlx5_1:1" },
	{ "mlx5_", GPU, 2, false, "mlx5_1:1" },
	{ "bnxt", GPU, 0, false, "bnxt_re0:1" },
	{ "roce,bnxt", GPU, 0, false, "bnxt_re0:1" },
	{ "mlx5_0,mlx5_0:1", GPU, 1, false, "mlx5_0:2" },
	/* Exclusion; what is not there is only warned of. */
	{ "^mlx5_0", GPU, 0, false, "mlx5_1:1" },
	{ "^mlx5_0:1", GPU, 0, false, "mlx5_0:2" },
	{ "^mlx5_0,mlx5_1", GPU, 0, false, "mlx5_2:1" },
	{ "^mlx5", GPU, 0, false, "bnxt_re0:1" },
	{ "^mlx5_1", GPU, 3, true, "mlx5_2:1" },
	{ "^mlx5_9", GPU, 0, false, "mlx5_0:1" },
	{ "^mlx5_0:7", GPU, 0, false, "mlx5_0:1" },
	/* Nothing is left. */
	{ "mlx5_11", GPU, 0, false, "!mlx5_11 port 1: its link is down" },
	{ "^mlx5,bnxt,roce", GPU, 0, false, "!MORI_RDMA_DEVICES leaves it out" },
	/* Mistakes. */
	{ "mlx5_9", GPU, 0, false,
	  "!there is no mlx5_9 here; NICs here: bnxt_re0, mlx5_0, mlx5_1" },
	{ "mlx5_0,mlx5_9", GPU, 0, false, "!there is no mlx5_9 here" },
	{ "mlx_5", GPU, 0, false, "!there is no mlx_5 here" },
	{ "MLX5_0", GPU, 0, false, "!there is no MLX5_0 here" },
	{ "mlx5_00", GPU, 0, false, "!there is no mlx5_00 here" },
	{ "mlx5_0 mlx5_1", GPU, 0, false, "!names are separated by commas" },
	{ "mlx5_0;mlx5_1", GPU, 0, false, "!names are separated by commas" },
	{ "mlx5_0,,mlx5_1", GPU, 0, false, "!a name is missing" },
	{ ",mlx5_0", GPU, 0, false, "!a name is missing" },
	{ "mlx5_0,", GPU, 0, false, "!a name is missing" },
	{ "^", GPU, 0, false, "!a name is missing" },
	{ " ", GPU, 0, false, "!a name is missing" },
	{ ":1", GPU, 0, false, "!a name is missing" },
	{ "^mlx5_0,^mlx5_1", GPU, 0, false, "!^ applies to the whole list" },
	{ "^^mlx5_0", GPU, 0, false, "!^ applies to the whole list" },
	{ "mlx5_0,^mlx5_1", GPU, 0, false, "!^ applies to the whole list" },
	{ "mlx5_0:", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:0", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:256", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:x", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:1x", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:-1", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:1:2", GPU, 0, false, "!a port is a number" },
	{ "mlx5_0:3", GPU, 0, false, "!mlx5_0 has no port 3" },
};

static void try_row(const struct row *r)
{
	struct verbs_config c = { .affinity = r->affinity, .turn = r->turn, .in_turn = r->in_turn };
	struct verbs_port ports[TEST_LEN(machine)];
	char got[256] = "", why[192] = "";
	int which;

	memcpy(ports, machine, sizeof(machine));
	which = verbs_filter(r->list, ports, TEST_LEN(ports));
	if (!which)
		which = verbs_choose(&c, ports, TEST_LEN(ports), why, sizeof(why));
	if (which < 0) {
		if (!CHECK(*r->want == '!'))
			fprintf(stderr, "%s: %s\n", r->list, err_text());
		CHECK_TEXT(err_text(), r->want + (*r->want == '!'));
		return;
	}
	snprintf(got, sizeof(got), "%s:%d", ports[which].name, ports[which].port);
	if (!CHECK(!strcmp(got, r->want)))
		fprintf(stderr, "%s, turn %d: got %s, want %s\n", r->list ? r->list : "(unset)",
			r->turn, got, r->want);
	CHECK(strstr(why, ports[which].name) != NULL);
}

static void test_none(void)
{
	struct verbs_config c = { 0 };
	char why[64];

	CHECK_EQ("no NIC", verbs_choose(&c, NULL, 0, why, sizeof(why)), MORI_SHMEM_ENOENT);
	CHECK_EQ("no NIC, a list", verbs_filter("mlx5_0", NULL, 0), MORI_SHMEM_EINVAL);
	CHECK_TEXT(err_text(), "NICs here: none");
	CHECK_EQ("no NIC, no list", verbs_filter(NULL, NULL, 0), 0);
}

/* A list of very many NICs and names must not run over any buffer. */
static void test_many(void)
{
	enum { N = 300 };
	static struct verbs_port ports[N];
	struct verbs_config c = { .turn = 299 };
	static char list[N * 16];
	char why[16];
	size_t at = 0;

	for (int i = 0; i < N; i++) {
		snprintf(ports[i].name, sizeof(ports[i].name), "mlx5_%d", i);
		ports[i].port = 1;
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? "," : "",
				       ports[i].name);
	}
	CHECK_EQ("long list", verbs_filter(list, ports, N), 0);
	CHECK_EQ("the last", verbs_choose(&c, ports, N, why, sizeof(why)), N - 1);
	CHECK_EQ("unknown among many", verbs_filter("none_of_them", ports, N), MORI_SHMEM_EINVAL);
	for (int i = 0; i < N; i++)
		snprintf(ports[i].why_not, sizeof(ports[i].why_not), "%0100d", i);
	CHECK_EQ("none of many", verbs_choose(&c, ports, N, why, sizeof(why)), MORI_SHMEM_ENOENT);
}

static void test_gids(void)
{
	static const struct {
		const char *text;
		bool v2;
		enum verbs_gid want;
	} gids[] = {
		{ "::", true, VERBS_NO_GID },
		{ "fe80::1", false, VERBS_ROCE1 },
		{ "::ffff:10.0.0.1", false, VERBS_ROCE1 },
		{ "fe80::1", true, VERBS_LINK_LOCAL },
		{ "febf::1", true, VERBS_LINK_LOCAL },
		{ "fec0::1", true, VERBS_IP6 },
		{ "2001:db8::1", true, VERBS_IP6 },
		{ "::1", true, VERBS_IP6 },
		{ "::ffff:10.0.0.1", true, VERBS_IP4 },
	};
	uint8_t gid[16];

	for (size_t i = 0; i < TEST_LEN(gids); i++) {
		CHECK_EQ("text", inet_pton(AF_INET6, gids[i].text, gid), 1);
		CHECK_EQ(gids[i].text, verbs_gid_kind(gid, gids[i].v2), gids[i].want);
	}
}

int main(void)
{
	for (size_t i = 0; i < TEST_LEN(rows); i++)
		try_row(&rows[i]);
	test_none();
	test_many();
	test_gids();
	return test_result();
}
