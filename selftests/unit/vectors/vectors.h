/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Made by generate.py; do not edit. */
	{
		.name = "IPv4 RC_SEND_FIRST 16",
		.hex =
			"45ee003cbdab400030119e9ec00002c3c633648237cd12b70028ae36"
			"00c09a4e4085ef920020febc3b857f748c822391bc952245fc4ba341"
			"4bcefd11",
		.want = {
			.payload_bytes = 0x10, .solicited = 0x1, .migreq = 0x1,
			.becn = 0x1, .pkey = 0x9a4e, .dqpn = 0x85ef92, .psn = 0x20febc,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_FIRST 16",
		.hex =
			"6d18ecff0028118120010db8000000000000000000000dce20010db8"
			"0001000000000000000000a17a2612b70028b83100401f5f80730e75"
			"802491df3cff6a5191691245471b9c41cb87e8d892c1f3a4",
		.want = {
			.payload_bytes = 0x10, .migreq = 0x1, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x1f5f, .dqpn = 0x730e75,
			.psn = 0x2491df, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_MIDDLE 16",
		.hex =
			"4596003c3cdd000073111d29c0000225c63364bcc16012b700286b99"
			"01407922c09482cb80e1e2dd60646b1c93dc7a3e185d4ee22e4bd215"
			"10349e4f",
		.want = {
			.opcode = 0x1, .payload_bytes = 0x10, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x7922,
			.dqpn = 0x9482cb, .psn = 0xe1e2dd, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_MIDDLE 16",
		.hex =
			"678d82fb002811aa20010db800000000000000000000f6c520010db8"
			"00010000000000000000f86796d112b70028801e0180fb3a4071b160"
			"000d474b23ad19b19369aadd9fe96e0b2296a9f286bc001c",
		.want = {
			.opcode = 0x1, .payload_bytes = 0x10, .solicited = 0x1,
			.becn = 0x1, .pkey = 0xfb3a, .dqpn = 0x71b160, .psn = 0xd474b,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST 5",
		.hex =
			"45860034e13a0000bd112f42c0000273c633640f0ff112b700203891"
			"02b0580100b52a9e005bb445eb576c5a5a0000004ac8758c",
		.want = {
			.opcode = 0x2, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .pkey = 0x5801, .dqpn = 0xb52a9e,
			.psn = 0x5bb445, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST 12",
		.hex =
			"45da0038810a40006711a484c00002aec633646a56e312b70024d882"
			"024016efc07223b800d1b58bf257af82da0551645b84fb9bd67e2cb5",
		.want = {
			.opcode = 0x2, .payload_bytes = 0xc, .migreq = 0x1, .fecn = 0x1,
			.becn = 0x1, .pkey = 0x16ef, .dqpn = 0x7223b8, .psn = 0xd1b58b,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST 7",
		.hex =
			"60c4e0a60020119120010db800000000000000000000e27720010db8"
			"00010000000000000000b59b39d012b7002048fd02505bcc8089813f"
			"009d63c152f3639394b8480086a9eb3d",
		.want = {
			.opcode = 0x2, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .pkey = 0x5bcc, .dqpn = 0x89813f, .psn = 0x9d63c1,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST 14",
		.hex =
			"6f3ea4500028113a20010db800000000000000000000b81120010db8"
			"0001000000000000000087babff512b7002845bb0220fa8400bd2e4b"
			"808bd33fb8e947ac4793ae12e0efb4f00dd3000064becd2d",
		.want = {
			.opcode = 0x2, .pad = 0x2, .payload_bytes = 0xe, .ackreq = 0x1,
			.pkey = 0xfa84, .dqpn = 0xbd2e4b, .psn = 0x8bd33f,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST_WITH_IMM 5",
		.hex =
			"45a100381c1a00004f1161f7c000027fc6336450664d12b70024786a"
			"03b08d68004a0c80802b4705629a88895f9fed0b42000000ceeab130",
		.imm = 0x629a8889,
		.want = {
			.opcode = 0x3, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .ackreq = 0x1, .pkey = 0x8d68,
			.dqpn = 0x4a0c80, .psn = 0x2b4705, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST_WITH_IMM 12",
		.hex =
			"45f7003cdca50000f611fa2bc00002a2c6336412947312b70028650d"
			"034033a1805605210068532d45834a8bd1d1a9b91befbd29c749a9f6"
			"21851fc5",
		.imm = 0x45834a8b,
		.want = {
			.opcode = 0x3, .payload_bytes = 0xc, .migreq = 0x1, .fecn = 0x1,
			.pkey = 0x33a1, .dqpn = 0x560521, .psn = 0x68532d,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST_WITH_IMM 7",
		.hex =
			"6ef0866e0024116020010db8000000000000000000003f5120010db8"
			"0001000000000000000094188f2112b70024223b03901ec800754089"
			"000d208cf836ccd34f63188b259cd300861be4a4",
		.imm = 0xf836ccd3,
		.want = {
			.opcode = 0x3, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .pkey = 0x1ec8, .dqpn = 0x754089,
			.psn = 0xd208c, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST_WITH_IMM 14",
		.hex =
			"63524be9002c11b020010db80000000000000000000093ad20010db8"
			"00010000000000000000fafa2a1012b7002c0952032098ec80b7584e"
			"8091aea32e89fc10a3ae4fc8f172214f2e034c07a67400007daab50b",
		.imm = 0x2e89fc10,
		.want = {
			.opcode = 0x3, .pad = 0x2, .payload_bytes = 0xe, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x98ec, .dqpn = 0xb7584e,
			.psn = 0x91aea3, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY 5",
		.hex =
			"45a50034277a00005a114b73c0000213c63364e0d2e712b70020ea9b"
			"0470c95ac020376700504d289c7742e084000000d2bd4601",
		.want = {
			.opcode = 0x4, .pad = 0x3, .payload_bytes = 0x5, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xc95a, .dqpn = 0x203767,
			.psn = 0x504d28, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY 12",
		.hex =
			"45bb00380d74000062115d02c00002ccc6336484800a12b700241be2"
			"044028cfc0c5e24780a69f465533792820c2529bd9008b47f6b1236a",
		.want = {
			.opcode = 0x4, .payload_bytes = 0xc, .migreq = 0x1, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x28cf, .dqpn = 0xc5e247,
			.psn = 0xa69f46, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY 7",
		.hex =
			"6a0e55a50020110620010db800000000000000000000754320010db8"
			"00010000000000000000df3f21be12b70020502904d087d7c08953b1"
			"808033e7e3f07e556e5cc700276eda92",
		.want = {
			.opcode = 0x4, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x87d7, .dqpn = 0x8953b1,
			.psn = 0x8033e7, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY 14",
		.hex =
			"6b6d7ad10028112320010db80000000000000000000074fb20010db8"
			"00010000000000000000d9f144a612b70028ab9e04e01159c0802c68"
			"80b096a2304619a79ad05dbfcbd3d77155ea000084cc4b87",
		.want = {
			.opcode = 0x4, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x1159, .dqpn = 0x802c68,
			.psn = 0xb096a2, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY_WITH_IMM 5",
		.hex =
			"45f30038d6510000931162d0c0000272c63364fae90212b70024d721"
			"05703d72404e98f900bb42898470498c0e0111259b00000096df43c3",
		.imm = 0x8470498c,
		.want = {
			.opcode = 0x5, .pad = 0x3, .payload_bytes = 0x5, .migreq = 0x1,
			.becn = 0x1, .pkey = 0x3d72, .dqpn = 0x4e98f9, .psn = 0xbb4289,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY_WITH_IMM 12",
		.hex =
			"453f003c1a02400067110c3dc00002d0c633642f842c12b70028cf22"
			"05001683807501fc00d62ddd6cb1a16ef0b8d75300d80a865074a8ad"
			"8fb82e30",
		.imm = 0x6cb1a16e,
		.want = {
			.opcode = 0x5, .payload_bytes = 0xc, .fecn = 0x1,
			.pkey = 0x1683, .dqpn = 0x7501fc, .psn = 0xd62ddd,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY_WITH_IMM 7",
		.hex =
			"6923a06f002411c920010db8000000000000000000006b5e20010db8"
			"000100000000000000003490297f12b7002459e30550d0c8c094c5bc"
			"00a0d98ea8a81658f084568b3f1d2000e36bc8bf",
		.imm = 0xa8a81658,
		.want = {
			.opcode = 0x5, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xd0c8, .dqpn = 0x94c5bc,
			.psn = 0xa0d98e, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY_WITH_IMM 14",
		.hex =
			"618d26dd002c110320010db800000000000000000000e34e20010db8"
			"0001000000000000000068404c9112b7002c2f7505a0cfdf0011661c"
			"00981ffeed63d26c6c0e159347e62125fc43ba1e1ea7000022861745",
		.imm = 0xed63d26c,
		.want = {
			.opcode = 0x5, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .pkey = 0xcfdf, .dqpn = 0x11661c,
			.psn = 0x981ffe, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_FIRST 16",
		.hex =
			"4520004c1b1b400025114dbec000024bc633642936bc12b70038af65"
			"0640de360033119b003e0c6484f2d625ac5b6e3235aa28fec37f98e8"
			"9fdf9f64351dacf17242d7cd6ad6f8ce4c028d30",
		.want = {
			.opcode = 0x6, .payload_bytes = 0x10, .migreq = 0x1,
			.pkey = 0xde36, .dqpn = 0x33119b, .psn = 0x3e0c64,
			.va = 0x84f2d625ac5b6e32ull, .rkey = 0x35aa28fe,
			.dma_len = 0xc37f98e8, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_FIRST 16",
		.hex =
			"668ae1000038119220010db8000000000000000000000c0f20010db8"
			"0001000000000000000001daede712b700382cd80600a468c017af90"
			"80b665db9cecf4b7eceed9f1d24d3ae4e8aa385126788efb67caa757"
			"9fd7bd5a1027b591739ab6fd",
		.want = {
			.opcode = 0x6, .payload_bytes = 0x10, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0xa468, .dqpn = 0x17af90,
			.psn = 0xb665db, .va = 0x9cecf4b7eceed9f1ull,
			.rkey = 0xd24d3ae4, .dma_len = 0xe8aa3851, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_MIDDLE 16",
		.hex =
			"459c003cb38800002711f26dc0000212c63364d9279012b700281244"
			"07405602c049c91b809bc2d9003baf151c3d21f02142f7fab3b34a70"
			"a074de8d",
		.want = {
			.opcode = 0x7, .payload_bytes = 0x10, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x5602,
			.dqpn = 0x49c91b, .psn = 0x9bc2d9, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_MIDDLE 16",
		.hex =
			"6fbfa1680028119f20010db800000000000000000000317220010db8"
			"000100000000000000004575727512b70028131b0780636d405f3495"
			"808d8d24f191d00342b0f30fad47ebcbf99573b44dfa46a5",
		.want = {
			.opcode = 0x7, .payload_bytes = 0x10, .solicited = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x636d, .dqpn = 0x5f3495,
			.psn = 0x8d8d24, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_LAST 5",
		.hex =
			"45bb0034075440001311730dc0000247c633642295f612b70020a6e4"
			"08f07c3dc031ba4e00208802d1b30f0b85000000a783043b",
		.want = {
			.opcode = 0x8, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.pkey = 0x7c3d, .dqpn = 0x31ba4e, .psn = 0x208802,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_LAST 12",
		.hex =
			"455f0038df364000d211dbe6c0000239c63364cb5e2a12b70024988d"
			"08c08ba2c049d2748014d42f06ca224bbce9c93fae050d4fa986b01b",
		.want = {
			.opcode = 0x8, .payload_bytes = 0xc, .solicited = 0x1,
			.migreq = 0x1, .fecn = 0x1, .becn = 0x1, .ackreq = 0x1,
			.pkey = 0x8ba2, .dqpn = 0x49d274, .psn = 0x14d42f,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_LAST 7",
		.hex =
			"6778569d0020115420010db8000000000000000000009ead20010db8"
			"00010000000000000000ba80565b12b70020df5208d0b53dc01f56af"
			"805b725b7cbf78d4c18980000b2b2f56",
		.want = {
			.opcode = 0x8, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0xb53d, .dqpn = 0x1f56af,
			.psn = 0x5b725b, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_LAST 14",
		.hex =
			"661180650028117320010db800000000000000000000d84220010db8"
			"0001000000000000000023410b4012b700282de60860a7f8c05044b2"
			"8067690535f3c00a7b70f8c1850915e214270000a64069fc",
		.want = {
			.opcode = 0x8, .pad = 0x2, .payload_bytes = 0xe, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0xa7f8,
			.dqpn = 0x5044b2, .psn = 0x676905, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_LAST_WITH_IMM 5",
		.hex =
			"45ca0038a542400094115332c00002cec6336474f0cb12b7002498f1"
			"09b04bf84020541b0052f95dea3dba5abfed391779000000d5b9f208",
		.imm = 0xea3dba5a,
		.want = {
			.opcode = 0x9, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .becn = 0x1, .pkey = 0x4bf8, .dqpn = 0x20541b,
			.psn = 0x52f95d, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_LAST_WITH_IMM 12",
		.hex =
			"452a003c812a40000c11ffc4c00002ccc6336498e32012b700285bb9"
			"0980076540805c868020a3bd7d93f48099eb289635c5b6c281e038a8"
			"cf5390e1",
		.imm = 0x7d93f480,
		.want = {
			.opcode = 0x9, .payload_bytes = 0xc, .solicited = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x765, .dqpn = 0x805c86,
			.psn = 0x20a3bd, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_LAST_WITH_IMM 7",
		.hex =
			"6e0979d6002411b220010db800000000000000000000ba0620010db8"
			"0001000000000000000049ede59012b70024eee60950580e40b38f25"
			"803b12c0ad7aa184ba154d9ae02ee90019d930c4",
		.imm = 0xad7aa184,
		.want = {
			.opcode = 0x9, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x580e, .dqpn = 0xb38f25,
			.psn = 0x3b12c0, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_LAST_WITH_IMM 14",
		.hex =
			"6f58761b002c115720010db800000000000000000000bfea20010db8"
			"000100000000000000008dc6ebc812b7002cc35609207282402109bc"
			"800730ea23c6c042b5f925788bbdfd3411738ed46cd50000f019c4cc",
		.imm = 0x23c6c042,
		.want = {
			.opcode = 0x9, .pad = 0x2, .payload_bytes = 0xe, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x7282, .dqpn = 0x2109bc, .psn = 0x730ea,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_ONLY 5",
		.hex =
			"459100443bed00003f11512cc00002e3c63364e8d39e12b70030ac3f"
			"0a301150405ba4bb00ff9e3c3d802cb77c6b817f4a536f4b42ad3a4f"
			"225b83e99a000000d926fde6",
		.want = {
			.opcode = 0xa, .pad = 0x3, .payload_bytes = 0x5, .becn = 0x1,
			.pkey = 0x1150, .dqpn = 0x5ba4bb, .psn = 0xff9e3c,
			.va = 0x3d802cb77c6b817full, .rkey = 0x4a536f4b,
			.dma_len = 0x42ad3a4f, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_ONLY 12",
		.hex =
			"4547004843db0000c311c60dc0000250c63364f192d112b700340f7a"
			"0a0033bf8082d92080f9ee59b184d865d55965281e1c18301dec80ef"
			"a0d0b62375f56244da7c8c241d93d053",
		.want = {
			.opcode = 0xa, .payload_bytes = 0xc, .fecn = 0x1, .ackreq = 0x1,
			.pkey = 0x33bf, .dqpn = 0x82d920, .psn = 0xf9ee59,
			.va = 0xb184d865d5596528ull, .rkey = 0x1e1c1830,
			.dma_len = 0x1dec80ef, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_ONLY 7",
		.hex =
			"639a433b003011f120010db8000000000000000000009d5a20010db8"
			"000100000000000000000dafa48512b700307d530a104224808acd41"
			"804e61338b9a7782b295892d58ad61e7ab8289e06ce301c4a06f8800"
			"42bcba1b",
		.want = {
			.opcode = 0xa, .pad = 0x1, .payload_bytes = 0x7, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x4224, .dqpn = 0x8acd41,
			.psn = 0x4e6133, .va = 0x8b9a7782b295892dull,
			.rkey = 0x58ad61e7, .dma_len = 0xab8289e0, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_ONLY 14",
		.hex =
			"6a2741550038110220010db800000000000000000000902d20010db8"
			"00010000000000000000f25ef85712b700387c240ae00dc14001f3e7"
			"008b8fef7e2c2eeb823942acfa72205ca13d582d25f575b9a271ba9c"
			"124a28de1b9c0000ac6ccce0",
		.want = {
			.opcode = 0xa, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .becn = 0x1, .pkey = 0xdc1,
			.dqpn = 0x1f3e7, .psn = 0x8b8fef, .va = 0x7e2c2eeb823942acull,
			.rkey = 0xfa72205c, .dma_len = 0xa13d582d, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_ONLY_WITH_IMM 5",
		.hex =
			"4535004814a24000cb11adc9c0000207c63364c93c3112b700349834"
			"0b70f9c3c02a883a00983c922cce23188c21459ddf41923be9772723"
			"774954b2b6e4e9e5b700000075cf423e",
		.imm = 0x774954b2,
		.want = {
			.opcode = 0xb, .pad = 0x3, .payload_bytes = 0x5, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xf9c3, .dqpn = 0x2a883a,
			.psn = 0x983c92, .va = 0x2cce23188c21459dull,
			.rkey = 0xdf41923b, .dma_len = 0xe9772723, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv4 RC_RDMA_WRITE_ONLY_WITH_IMM 12",
		.hex =
			"4587004cfee8400055113954c000027ec633642b1bdb12b700380b3d"
			"0b40e5b640d13b9680e77a6abcf3f5c32acab22559db4109ab849b03"
			"be7f2bfd67ea881e8569932a34c356af5854acd3",
		.imm = 0xbe7f2bfd,
		.want = {
			.opcode = 0xb, .payload_bytes = 0xc, .migreq = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0xe5b6, .dqpn = 0xd13b96,
			.psn = 0xe77a6a, .va = 0xbcf3f5c32acab225ull,
			.rkey = 0x59db4109, .dma_len = 0xab849b03, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_ONLY_WITH_IMM 7",
		.hex =
			"68ab77f5003411c920010db800000000000000000000920b20010db8"
			"00010000000000000000ecc79b7112b70034b35c0b106f798030fda6"
			"80a22818487d76b20ae749d817d42815f2b3a873e76d35ab93f93c2a"
			"252940007d4cc16e",
		.imm = 0xe76d35ab,
		.want = {
			.opcode = 0xb, .pad = 0x1, .payload_bytes = 0x7, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x6f79, .dqpn = 0x30fda6,
			.psn = 0xa22818, .va = 0x487d76b20ae749d8ull,
			.rkey = 0x17d42815, .dma_len = 0xf2b3a873, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv6 RC_RDMA_WRITE_ONLY_WITH_IMM 14",
		.hex =
			"64108558003c118a20010db8000000000000000000008da520010db8"
			"00010000000000000000f54c9d2712b7003cbc8c0ba07d98808ba256"
			"80b7c8ebf40dd3c4fc7ef7fb1ea189b80be8f8552d6758e7b366503d"
			"a5ebc4043c8b9bd62a3b00008fbe6b82",
		.imm = 0x2d6758e7,
		.want = {
			.opcode = 0xb, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .fecn = 0x1, .ackreq = 0x1, .pkey = 0x7d98,
			.dqpn = 0x8ba256, .psn = 0xb7c8eb,
			.va = 0xf40dd3c4fc7ef7fbull, .rkey = 0x1ea189b8,
			.dma_len = 0xbe8f855, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_REQUEST 0",
		.hex =
			"4528003c10e64000bd11bf84c00002bec633642c268212b70028f942"
			"0cc01258c09afdef80381ebc9d31601bc1aff4122755a651441a1c8f"
			"1db50a61",
		.want = {
			.opcode = 0xc, .solicited = 0x1, .migreq = 0x1, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x1258, .dqpn = 0x9afdef,
			.psn = 0x381ebc, .va = 0x9d31601bc1aff412ull,
			.rkey = 0x2755a651, .dma_len = 0x441a1c8f, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_REQUEST 0",
		.hex =
			"6b68ee05002811fb20010db800000000000000000000068020010db8"
			"000100000000000000009894ac6f12b7002800e10c00c579800003fb"
			"80a6041940c0f85d8e64947d2407f170a659a3354224ab67",
		.want = {
			.opcode = 0xc, .fecn = 0x1, .ackreq = 0x1, .pkey = 0xc579,
			.dqpn = 0x3fb, .psn = 0xa60419, .va = 0x40c0f85d8e64947dull,
			.rkey = 0x2407f170, .dma_len = 0xa659a335, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_FIRST 16",
		.hex =
			"458b004073ae40003a11df0ac00002c8c633646d309d12b7002cec67"
			"0d00e9a700ab9f3a8015e73e37303d7ebaecc98892b9c6bb2675bc52"
			"a4114dde13cc0674",
		.want = {
			.opcode = 0xd, .payload_bytes = 0x10, .ackreq = 0x1,
			.pkey = 0xe9a7, .dqpn = 0xab9f3a, .psn = 0x15e73e,
			.syndrome = 0x37, .msn = 0x303d7e, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_FIRST 16",
		.hex =
			"6ef77809002c11de20010db800000000000000000000290920010db8"
			"00010000000000000000463ce97512b7002c49df0d40ea66c0f3245e"
			"00814c5a2337c6fef84eed3f11c2512bfdd16969f309388844c1e495",
		.want = {
			.opcode = 0xd, .payload_bytes = 0x10, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xea66, .dqpn = 0xf3245e,
			.psn = 0x814c5a, .syndrome = 0x23, .msn = 0x37c6fe,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_MIDDLE 16",
		.hex =
			"45f7003c85330000a211a612c000023ac633640631c912b70028b6f5"
			"0e00abe440d07c7c00f3843c9b3c9eec5dcc5c3b5e8a2e86e7fbc16a"
			"bca9a52f",
		.want = {
			.opcode = 0xe, .payload_bytes = 0x10, .becn = 0x1,
			.pkey = 0xabe4, .dqpn = 0xd07c7c, .psn = 0xf3843c,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_MIDDLE 16",
		.hex =
			"6a32fa5b002811d520010db80000000000000000000062e320010db8"
			"000100000000000000009e93c1dc12b7002841a90e80b1be00f7ab3e"
			"8066b5b0d0b0056cc9ac96b8610138561e4b9a7942eb7414",
		.want = {
			.opcode = 0xe, .payload_bytes = 0x10, .solicited = 0x1,
			.ackreq = 0x1, .pkey = 0xb1be, .dqpn = 0xf7ab3e,
			.psn = 0x66b5b0, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_LAST 7",
		.hex =
			"45d40038ef0a400011118d3ac000020fc6336459b1c412b700248a8c"
			"0f90f3de8084556680f3edb8045ad85890ebe26638f21f00cdac5eb5",
		.want = {
			.opcode = 0xf, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .fecn = 0x1, .ackreq = 0x1, .pkey = 0xf3de,
			.dqpn = 0x845566, .psn = 0xf3edb8, .syndrome = 0x4,
			.msn = 0x5ad858, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_LAST 14",
		.hex =
			"4500004055e940007511c257c0000276c63364c2759712b7002c1780"
			"0f20c8b5402178e2800b16a5f8279546b5e61504bb73adb98545d216"
			"f872000010b37d93",
		.want = {
			.opcode = 0xf, .pad = 0x2, .payload_bytes = 0xe, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0xc8b5, .dqpn = 0x2178e2, .psn = 0xb16a5,
			.syndrome = 0xf8, .msn = 0x279546, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_LAST 5",
		.hex =
			"6fc4ea000024116a20010db800000000000000000000d1b820010db8"
			"00010000000000000000164e5bc712b70024e38b0f70b5568013aa97"
			"8007d79c5d23ee835a2014ea5400000074266e92",
		.want = {
			.opcode = 0xf, .pad = 0x3, .payload_bytes = 0x5, .migreq = 0x1,
			.fecn = 0x1, .ackreq = 0x1, .pkey = 0xb556, .dqpn = 0x13aa97,
			.psn = 0x7d79c, .syndrome = 0x5d, .msn = 0x23ee83,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_LAST 12",
		.hex =
			"6c15dbb2002811ad20010db800000000000000000000571e20010db8"
			"00010000000000000000a8d753b212b7002897480f4030b98078c895"
			"806e078422177e645a266a47de04ad5b1e7e10f278123c5e",
		.want = {
			.opcode = 0xf, .payload_bytes = 0xc, .migreq = 0x1, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x30b9, .dqpn = 0x78c895,
			.psn = 0x6e0784, .syndrome = 0x22, .msn = 0x177e64,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_ONLY 7",
		.hex =
			"45f70038a0a600003f11ec8ac00002b2c63364a7d6b712b70024a4cf"
			"1050696bc089750f80d896c755605bd34eb586fb7806dc0076e49e96",
		.want = {
			.opcode = 0x10, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x696b,
			.dqpn = 0x89750f, .psn = 0xd896c7, .syndrome = 0x55,
			.msn = 0x605bd3, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_RDMA_READ_RESPONSE_ONLY 14",
		.hex =
			"458800401d4a0000f311bc04c00002d4c63364ce3ec512b7002cad1b"
			"10607900408bbf8f805719961beb170db4e167c1df16d78daf3b1f7c"
			"0fb80000df88a64a",
		.want = {
			.opcode = 0x10, .pad = 0x2, .payload_bytes = 0xe, .migreq = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x7900, .dqpn = 0x8bbf8f,
			.psn = 0x571996, .syndrome = 0x1b, .msn = 0xeb170d,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_ONLY 5",
		.hex =
			"66be4a350024111a20010db8000000000000000000002f0220010db8"
			"00010000000000000000a81f590912b70024659310f09617c0682341"
			"003d717e127ed1e8136594d7510000008bd6b8a3",
		.want = {
			.opcode = 0x10, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.pkey = 0x9617, .dqpn = 0x682341, .psn = 0x3d717e,
			.syndrome = 0x12, .msn = 0x7ed1e8, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_RDMA_READ_RESPONSE_ONLY 12",
		.hex =
			"6b312b760028113b20010db800000000000000000000c95820010db8"
			"000100000000000000009f27ea0812b70028972210c0398440b72b74"
			"80bb35658fb979bda1c368ebc395b323e21271e78d573539",
		.want = {
			.opcode = 0x10, .payload_bytes = 0xc, .solicited = 0x1,
			.migreq = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x3984,
			.dqpn = 0xb72b74, .psn = 0xbb3565, .syndrome = 0x8f,
			.msn = 0xb979bd, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_ACKNOWLEDGE 0",
		.hex =
			"45ca003005e000008d1139e9c000021bc63364db95fd12b7001cd954"
			"11c07b51c064644880ef76349bbd9d499fbfd888",
		.want = {
			.opcode = 0x11, .solicited = 0x1, .migreq = 0x1, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x7b51, .dqpn = 0x646448,
			.psn = 0xef7634, .syndrome = 0x9b, .msn = 0xbd9d49,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_ACKNOWLEDGE 0",
		.hex =
			"6c47a1d5001c116820010db800000000000000000000b61520010db8"
			"00010000000000000000464b2c1812b7001c474611c05a3600138a61"
			"0034ab377da7ee31e639af81",
		.want = {
			.opcode = 0x11, .solicited = 0x1, .migreq = 0x1, .pkey = 0x5a36,
			.dqpn = 0x138a61, .psn = 0x34ab37, .syndrome = 0x7d,
			.msn = 0xa7ee31, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_ATOMIC_ACKNOWLEDGE 0",
		.hex =
			"4569003808c600002e11966bc00002cfc633641896b312b700248d5f"
			"12402dfec0ff2c170083ed8b9a8d899022bfc3573a61c2a9c9f60c38",
		.want = {
			.opcode = 0x12, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.pkey = 0x2dfe, .dqpn = 0xff2c17, .psn = 0x83ed8b,
			.syndrome = 0x9a, .msn = 0x8d8990,
			.atomic_orig = 0x22bfc3573a61c2a9ull, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv6 RC_ATOMIC_ACKNOWLEDGE 0",
		.hex =
			"65cd67d50024117820010db80000000000000000000036c120010db8"
			"000100000000000000002b8b446d12b70024e6c612c0ebeec05defc8"
			"0026f4dfca500cdb8cb761585aac32a8ded32251",
		.want = {
			.opcode = 0x12, .solicited = 0x1, .migreq = 0x1, .fecn = 0x1,
			.becn = 0x1, .pkey = 0xebee, .dqpn = 0x5defc8, .psn = 0x26f4df,
			.syndrome = 0xca, .msn = 0x500cdb,
			.atomic_orig = 0x8cb761585aac32a8ull, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv4 RC_COMPARE_SWAP 0",
		.hex =
			"45c20048d83200003c11b863c000022ac63364ef38aa12b70034d8cd"
			"13409a5500532d4a00c5b9143692fea9c4cb4b8954b1e8d0d0a2565c"
			"bac7c79cb5551f22637cb73680af8563",
		.want = {
			.opcode = 0x13, .migreq = 0x1, .pkey = 0x9a55, .dqpn = 0x532d4a,
			.psn = 0xc5b914, .va = 0x3692fea9c4cb4b89ull,
			.rkey = 0x54b1e8d0, .swap_add = 0xd0a2565cbac7c79cull,
			.compare = 0xb5551f22637cb736ull, .hdr_bytes = 0x28,
		},
	},
	{
		.name = "IPv6 RC_COMPARE_SWAP 0",
		.hex =
			"6faf04e0003411ae20010db800000000000000000000226620010db8"
			"00010000000000000000525d3e4812b7003480dc130032f9407e3ceb"
			"800bd40e442b76d026eacc3f6db597fa3f012a0bd42d9f5dbdcf387e"
			"65ecdf7f163905d1",
		.want = {
			.opcode = 0x13, .becn = 0x1, .ackreq = 0x1, .pkey = 0x32f9,
			.dqpn = 0x7e3ceb, .psn = 0xbd40e, .va = 0x442b76d026eacc3full,
			.rkey = 0x6db597fa, .swap_add = 0x3f012a0bd42d9f5dull,
			.compare = 0xbdcf387e65ecdf7full, .hdr_bytes = 0x28,
		},
	},
	{
		.name = "IPv4 RC_FETCH_ADD 0",
		.hex =
			"45970048b1b64000d1110aa0c0000278c633640b802012b7003408ed"
			"14c06cd14047dab600185be1501f9c2886e56cf8522bf01f0c8c53f3"
			"81af247d089c8f13bdd0add15cedce9f",
		.want = {
			.opcode = 0x14, .solicited = 0x1, .migreq = 0x1, .becn = 0x1,
			.pkey = 0x6cd1, .dqpn = 0x47dab6, .psn = 0x185be1,
			.va = 0x501f9c2886e56cf8ull, .rkey = 0x522bf01f,
			.swap_add = 0xc8c53f381af247dull,
			.compare = 0x89c8f13bdd0add1ull, .hdr_bytes = 0x28,
		},
	},
	{
		.name = "IPv6 RC_FETCH_ADD 0",
		.hex =
			"6e3cb791003411db20010db800000000000000000000915f20010db8"
			"00010000000000000000579bcd5812b70034ad65140074a200fd81de"
			"005f3eeb826703e9b573149c4a8ec6e984090ea3660284486397b158"
			"90cbfb748cdd9c46",
		.want = {
			.opcode = 0x14, .pkey = 0x74a2, .dqpn = 0xfd81de,
			.psn = 0x5f3eeb, .va = 0x826703e9b573149cull,
			.rkey = 0x4a8ec6e9, .swap_add = 0x84090ea366028448ull,
			.compare = 0x6397b15890cbfb74ull, .hdr_bytes = 0x28,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST_WITH_INVALIDATE 7",
		.hex =
			"454d0038cacb4000b6110c15c0000282c63364d1bca312b700244997"
			"16508e2d00ca4aad80893c0c36a2fe9bdd0708f9cea8da0020895f80",
		.want = {
			.opcode = 0x16, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.ackreq = 0x1, .pkey = 0x8e2d, .dqpn = 0xca4aad,
			.psn = 0x893c0c, .ieth = 0x36a2fe9b, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_LAST_WITH_INVALIDATE 14",
		.hex =
			"4528004054f340004011f82ac00002ecc6336447cd2b12b7002cb3e7"
			"16a0fcefc07bdf8d0018b90faf6f9eb6d37362551e208624b5a0650d"
			"247400001318b3e1",
		.want = {
			.opcode = 0x16, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .fecn = 0x1, .becn = 0x1, .pkey = 0xfcef,
			.dqpn = 0x7bdf8d, .psn = 0x18b90f, .ieth = 0xaf6f9eb6,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST_WITH_INVALIDATE 5",
		.hex =
			"69782ed60024119620010db8000000000000000000004b3420010db8"
			"0001000000000000000082b79ddb12b700242ae616307ecac018f769"
			"804aa9099441196b33d4f79ba300000027a8932f",
		.want = {
			.opcode = 0x16, .pad = 0x3, .payload_bytes = 0x5, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x7eca, .dqpn = 0x18f769,
			.psn = 0x4aa909, .ieth = 0x9441196b, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_LAST_WITH_INVALIDATE 12",
		.hex =
			"6fd1897c0028111820010db8000000000000000000007c0b20010db8"
			"000100000000000000000751eaf012b70028d14a16c064e380785d2c"
			"80a5f70ed9bdecdbc7e7c878c33b6b53b28ca8f1cb89c74f",
		.want = {
			.opcode = 0x16, .payload_bytes = 0xc, .solicited = 0x1,
			.migreq = 0x1, .fecn = 0x1, .ackreq = 0x1, .pkey = 0x64e3,
			.dqpn = 0x785d2c, .psn = 0xa5f70e, .ieth = 0xd9bdecdb,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY_WITH_INVALIDATE 7",
		.hex =
			"45c20038313940004b111011c00002b5c63364c01d4712b70024de16"
			"1790b9a4000250f38076db7e8d6f15b2b8b3ce1902b4d60020df42cb",
		.want = {
			.opcode = 0x17, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .ackreq = 0x1, .pkey = 0xb9a4,
			.dqpn = 0x250f3, .psn = 0x76db7e, .ieth = 0x8d6f15b2,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY_WITH_INVALIDATE 14",
		.hex =
			"45930040ac3d400080116181c0000204c63364238e9d12b7002c13bf"
			"17208ec4004e05180003152a00fef7ded809efaa58a2ea978b94fb0d"
			"099e000057b4445d",
		.want = {
			.opcode = 0x17, .pad = 0x2, .payload_bytes = 0xe,
			.pkey = 0x8ec4, .dqpn = 0x4e0518, .psn = 0x3152a,
			.ieth = 0xfef7de, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY_WITH_INVALIDATE 5",
		.hex =
			"60135bfa0024114820010db8000000000000000000000ecb20010db8"
			"00010000000000000000768dd5d812b70024841117305051c097f396"
			"80f83dac64f24f035ee5e7eb820000004dd28a9e",
		.want = {
			.opcode = 0x17, .pad = 0x3, .payload_bytes = 0x5, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x5051, .dqpn = 0x97f396,
			.psn = 0xf83dac, .ieth = 0x64f24f03, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY_WITH_INVALIDATE 12",
		.hex =
			"65efccbf0028115920010db8000000000000000000008b6920010db8"
			"000100000000000000003f9dad9512b7002888211780c89ac07805c4"
			"0062436c7cdbc448be268968424e86e69503d36886a41702",
		.want = {
			.opcode = 0x17, .payload_bytes = 0xc, .solicited = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xc89a, .dqpn = 0x7805c4,
			.psn = 0x62436c, .ieth = 0x7cdbc448, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_SEND_FIRST 16",
		.hex =
			"4594003c781c0000a311b160c0000296c63364d6d88512b7002858bd"
			"20c00fb2c0427d48809746b0e3f7b748c4cf5ddc5eae7aaa58174350"
			"70bdad6f",
		.want = {
			.opcode = 0x20, .payload_bytes = 0x10, .solicited = 0x1,
			.migreq = 0x1, .fecn = 0x1, .becn = 0x1, .ackreq = 0x1,
			.pkey = 0xfb2, .dqpn = 0x427d48, .psn = 0x9746b0,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_FIRST 16",
		.hex =
			"6803b3bd002811e020010db8000000000000000000009e3920010db8"
			"00010000000000000000d0bad0c212b700280d55208090a6c0ce573b"
			"8092cf3ffa70fbf986f08e638d521bd422380d49960dd1cc",
		.want = {
			.opcode = 0x20, .payload_bytes = 0x10, .solicited = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x90a6,
			.dqpn = 0xce573b, .psn = 0x92cf3f, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_MIDDLE 16",
		.hex =
			"451f003cf26600003411a75ac000020cc6336491957f12b70028fd7a"
			"2100dc9e4002765500711e0e6d5083c23a65055ae4dfff5d172afea4"
			"e4c40eeb",
		.want = {
			.opcode = 0x21, .payload_bytes = 0x10, .becn = 0x1,
			.pkey = 0xdc9e, .dqpn = 0x27655, .psn = 0x711e0e,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_MIDDLE 16",
		.hex =
			"625bc863002811b720010db800000000000000000000b54d20010db8"
			"000100000000000000002680538f12b700281dcf2140c22d00477579"
			"0078f60c0f6d4e8933cc3ebc282a679a08b4aa89e96a1f57",
		.want = {
			.opcode = 0x21, .payload_bytes = 0x10, .migreq = 0x1,
			.pkey = 0xc22d, .dqpn = 0x477579, .psn = 0x78f60c,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_LAST 7",
		.hex =
			"453100347e3040002311ec31c000029dc6336455aa9b12b70020e6e9"
			"22d05bb1407571a0006a07b63d88abec0d72fb0027606bfd",
		.want = {
			.opcode = 0x22, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .becn = 0x1, .pkey = 0x5bb1,
			.dqpn = 0x7571a0, .psn = 0x6a07b6, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_LAST 14",
		.hex =
			"4570003c3d530000e311acb5c00002ebc6336419e37212b700280859"
			"22600ed4c0a6e492000a5383d1d6154d303f116dbc953840c7d30000"
			"e0057d92",
		.want = {
			.opcode = 0x22, .pad = 0x2, .payload_bytes = 0xe, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0xed4, .dqpn = 0xa6e492,
			.psn = 0xa5383, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_LAST 5",
		.hex =
			"6b9d1bf9002011cb20010db800000000000000000000c7fd20010db8"
			"00010000000000000000bd036b6a12b70020a92d22308055408326a1"
			"00b33d782be760ea9500000063ccc4b7",
		.want = {
			.opcode = 0x22, .pad = 0x3, .payload_bytes = 0x5, .becn = 0x1,
			.pkey = 0x8055, .dqpn = 0x8326a1, .psn = 0xb33d78,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_LAST 12",
		.hex =
			"6f27b6830024119620010db800000000000000000000b2d220010db8"
			"0001000000000000000050e4bf9912b700246bd222c0a244805bd17c"
			"8065fa4ff12e9aee9b003cfc556459eecc450efd",
		.want = {
			.opcode = 0x22, .payload_bytes = 0xc, .solicited = 0x1,
			.migreq = 0x1, .fecn = 0x1, .ackreq = 0x1, .pkey = 0xa244,
			.dqpn = 0x5bd17c, .psn = 0x65fa4f, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_LAST_WITH_IMM 7",
		.hex =
			"455000381e5900004d11622cc000029ac6336412a41912b7002421b0"
			"23504227801c935c0067bcf07d97f468d8b720e0a1d311003edc6b61",
		.imm = 0x7d97f468,
		.want = {
			.opcode = 0x23, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .pkey = 0x4227, .dqpn = 0x1c935c, .psn = 0x67bcf0,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_SEND_LAST_WITH_IMM 14",
		.hex =
			"452c0040ee2e0000fd11e2a2c0000268c6336413587512b7002cd3f8"
			"232089aec00b8e7280f04424ecdd9f81434fdb26769d0168d558e41a"
			"48d300008ef46817",
		.imm = 0xecdd9f81,
		.want = {
			.opcode = 0x23, .pad = 0x2, .payload_bytes = 0xe, .fecn = 0x1,
			.becn = 0x1, .ackreq = 0x1, .pkey = 0x89ae, .dqpn = 0xb8e72,
			.psn = 0xf04424, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_SEND_LAST_WITH_IMM 5",
		.hex =
			"6677c431002411ab20010db8000000000000000000006f0320010db8"
			"000100000000000000004f662f9f12b700249a4c23f03cc200916caa"
			"00233742cc8bf962d8a71b0f5d0000008103e23d",
		.imm = 0xcc8bf962,
		.want = {
			.opcode = 0x23, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .pkey = 0x3cc2,
			.dqpn = 0x916caa, .psn = 0x233742, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_SEND_LAST_WITH_IMM 12",
		.hex =
			"648f69000028118d20010db800000000000000000000776320010db8"
			"00010000000000000000e952375912b70028fcf9234078328068659d"
			"8040652cb243f8d46d173eeb739aafa207e31fbd11032a4b",
		.imm = 0xb243f8d4,
		.want = {
			.opcode = 0x23, .payload_bytes = 0xc, .migreq = 0x1,
			.fecn = 0x1, .ackreq = 0x1, .pkey = 0x7832, .dqpn = 0x68659d,
			.psn = 0x40652c, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_SEND_ONLY 7",
		.hex =
			"451f0034f5dc40005b113c14c00002e6c633648fd00212b7002094ad"
			"2450f27980a90e218032984e8b63bc55b3394b00217a45d7",
		.want = {
			.opcode = 0x24, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .ackreq = 0x1, .pkey = 0xf279, .dqpn = 0xa90e21,
			.psn = 0x32984e, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_ONLY 14",
		.hex =
			"45c5003c222e0000be11ec2dc00002fdc633645fbdc012b70028320d"
			"24e0bde480cf31aa0086d7c790b466aeb5b2df26545f3531497d0000"
			"d69bfb1b",
		.want = {
			.opcode = 0x24, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .pkey = 0xbde4,
			.dqpn = 0xcf31aa, .psn = 0x86d7c7, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_ONLY 5",
		.hex =
			"64597c580020119920010db8000000000000000000008d3320010db8"
			"00010000000000000000eb116b6112b7002070b024b05daa401134a0"
			"00701bf7b63c3e1dec000000745bb95a",
		.want = {
			.opcode = 0x24, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .becn = 0x1, .pkey = 0x5daa, .dqpn = 0x1134a0,
			.psn = 0x701bf7, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_SEND_ONLY 12",
		.hex =
			"68e9d57d002411a920010db800000000000000000000a12120010db8"
			"00010000000000000000f6d3330912b70024988f24804a19009aff63"
			"8095b6337c9c4510206a83c54c740a904b575a0f",
		.want = {
			.opcode = 0x24, .payload_bytes = 0xc, .solicited = 0x1,
			.ackreq = 0x1, .pkey = 0x4a19, .dqpn = 0x9aff63,
			.psn = 0x95b633, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_SEND_ONLY_WITH_IMM 7",
		.hex =
			"456a0038740c00008d11cbcfc0000248c63364f31e3712b700244e89"
			"25906b0a00c90be1802528c10171bde781ad64dc7382d100d3ee5af7",
		.imm = 0x171bde7,
		.want = {
			.opcode = 0x25, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .ackreq = 0x1, .pkey = 0x6b0a,
			.dqpn = 0xc90be1, .psn = 0x2528c1, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_SEND_ONLY_WITH_IMM 14",
		.hex =
			"455800404a3d00005a11290fc000027fc63364568c7712b7002c6114"
			"256064f2000e34db00617e9f62046c0c4336d6a999917e70d6157e54"
			"cf860000ccbb9721",
		.imm = 0x62046c0c,
		.want = {
			.opcode = 0x25, .pad = 0x2, .payload_bytes = 0xe, .migreq = 0x1,
			.pkey = 0x64f2, .dqpn = 0xe34db, .psn = 0x617e9f,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_SEND_ONLY_WITH_IMM 5",
		.hex =
			"6af796a1002411ec20010db800000000000000000000f49c20010db8"
			"000100000000000000002b97b27a12b70024c36225701f64c01c42a6"
			"00b4df9c42df3a6b9b0bdd6b0a00000037e4d880",
		.imm = 0x42df3a6b,
		.want = {
			.opcode = 0x25, .pad = 0x3, .payload_bytes = 0x5, .migreq = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0x1f64, .dqpn = 0x1c42a6,
			.psn = 0xb4df9c, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_SEND_ONLY_WITH_IMM 12",
		.hex =
			"6f8720420028110420010db80000000000000000000037cc20010db8"
			"00010000000000000000c0b6e17512b70028e80325c00841c00a9b19"
			"80fa2fbe77376413a22dcdcbab2de2f5a9a21a5c77e59bc9",
		.imm = 0x77376413,
		.want = {
			.opcode = 0x25, .payload_bytes = 0xc, .solicited = 0x1,
			.migreq = 0x1, .fecn = 0x1, .becn = 0x1, .ackreq = 0x1,
			.pkey = 0x841, .dqpn = 0xa9b19, .psn = 0xfa2fbe,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_FIRST 16",
		.hex =
			"45d1004cdfbe00001e11cec0c00002b5c6336468428712b70038f4eb"
			"2680b81b0071941d00ba25aa48edc37d13e76d1d998c33becf5f6470"
			"041ec8e7715651767e139314f5c423dd22a5152e",
		.want = {
			.opcode = 0x26, .payload_bytes = 0x10, .solicited = 0x1,
			.pkey = 0xb81b, .dqpn = 0x71941d, .psn = 0xba25aa,
			.va = 0x48edc37d13e76d1dull, .rkey = 0x998c33be,
			.dma_len = 0xcf5f6470, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_FIRST 16",
		.hex =
			"69e276bc0038115820010db80000000000000000000053b620010db8"
			"0001000000000000000046d8d47112b70038a9e026809824c02b636c"
			"80d080986970236761c332be3181451cf2702f8b92a2fcd315ec4e25"
			"207a3d5d62ba09ba723b0f7b",
		.want = {
			.opcode = 0x26, .payload_bytes = 0x10, .solicited = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0x9824,
			.dqpn = 0x2b636c, .psn = 0xd08098,
			.va = 0x6970236761c332beull, .rkey = 0x3181451c,
			.dma_len = 0xf2702f8b, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_MIDDLE 16",
		.hex =
			"4501003c13d640008a11ef41c00002c2c63364a2595712b7002889ef"
			"27802a02c007ca7200959c6544f9611c760258a020daad8ac484cbef"
			"96bc7049",
		.want = {
			.opcode = 0x27, .payload_bytes = 0x10, .solicited = 0x1,
			.fecn = 0x1, .becn = 0x1, .pkey = 0x2a02, .dqpn = 0x7ca72,
			.psn = 0x959c65, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_MIDDLE 16",
		.hex =
			"6912b959002811b320010db80000000000000000000070aa20010db8"
			"00010000000000000000adbac81312b7002895b52740f526004ec93f"
			"00e9a2fd74965eafa3db05cea7b5f3a6f42fe23c03e5af3b",
		.want = {
			.opcode = 0x27, .payload_bytes = 0x10, .migreq = 0x1,
			.pkey = 0xf526, .dqpn = 0x4ec93f, .psn = 0xe9a2fd,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_LAST 7",
		.hex =
			"45970034503840001911236ec00002aec633649a26b412b70020b5b2"
			"289004ae40c77ea000d31fb19bba46fe5b660d00afa3653e",
		.want = {
			.opcode = 0x28, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .becn = 0x1, .pkey = 0x4ae, .dqpn = 0xc77ea0,
			.psn = 0xd31fb1, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_LAST 14",
		.hex =
			"4596003cbfdf40005b11718fc00002e3c6336495bcac12b70028eb0c"
			"2820e86d802415190068f29d657c07121f9b881cd3d1024fc4d20000"
			"9fe67df9",
		.want = {
			.opcode = 0x28, .pad = 0x2, .payload_bytes = 0xe, .fecn = 0x1,
			.pkey = 0xe86d, .dqpn = 0x241519, .psn = 0x68f29d,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_LAST 5",
		.hex =
			"6f18f666002011d820010db800000000000000000000c14c20010db8"
			"00010000000000000000904db43512b70020bb6928300f5740d4fcb0"
			"80420113d16aaf7990000000e2c3ca17",
		.want = {
			.opcode = 0x28, .pad = 0x3, .payload_bytes = 0x5, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0xf57, .dqpn = 0xd4fcb0, .psn = 0x420113,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_LAST 12",
		.hex =
			"6fd5c6be0024114c20010db8000000000000000000003e7320010db8"
			"000100000000000000001d01de6912b700245ed72840b85900c5bb3d"
			"80f487eadd5e0284fc2a84ecb43b499a4cb50eda",
		.want = {
			.opcode = 0x28, .payload_bytes = 0xc, .migreq = 0x1,
			.ackreq = 0x1, .pkey = 0xb859, .dqpn = 0xc5bb3d,
			.psn = 0xf487ea, .hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_LAST_WITH_IMM 7",
		.hex =
			"45f200381ba0000035117c17c00002b9c633641fe7e812b70024deca"
			"29100990808455208039c34e32b06f2b0625919dde4fda0041b20e4f",
		.imm = 0x32b06f2b,
		.want = {
			.opcode = 0x29, .pad = 0x1, .payload_bytes = 0x7, .fecn = 0x1,
			.ackreq = 0x1, .pkey = 0x990, .dqpn = 0x845520, .psn = 0x39c34e,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_LAST_WITH_IMM 14",
		.hex =
			"45a6004098c84000dc1117eac00002f5c633642b135912b7002c5d2c"
			"29e04430c077c3dc800875d9dac8a1941930774db7f33085171bc1d4"
			"a4f200009f0080e4",
		.imm = 0xdac8a194,
		.want = {
			.opcode = 0x29, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x4430, .dqpn = 0x77c3dc, .psn = 0x875d9,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_LAST_WITH_IMM 5",
		.hex =
			"64b082d20024113220010db800000000000000000000bdbf20010db8"
			"00010000000000000000f11c44b012b7002493fc2930571bc025bdfd"
			"008297503e9be41a963ff15fc8000000c8a98439",
		.imm = 0x3e9be41a,
		.want = {
			.opcode = 0x29, .pad = 0x3, .payload_bytes = 0x5, .fecn = 0x1,
			.becn = 0x1, .pkey = 0x571b, .dqpn = 0x25bdfd, .psn = 0x829750,
			.hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_LAST_WITH_IMM 12",
		.hex =
			"6462b6f1002811ec20010db800000000000000000000b69d20010db8"
			"000100000000000000001a8224ef12b70028ddfe2900749840deb9d2"
			"8050ef83d08f1e1296583a3b24e6c9d7143794ec08084915",
		.imm = 0xd08f1e12,
		.want = {
			.opcode = 0x29, .payload_bytes = 0xc, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x7498, .dqpn = 0xdeb9d2,
			.psn = 0x50ef83, .hdr_bytes = 0x10,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_ONLY 7",
		.hex =
			"45b600449f1240004911a561c0000219c633643269c012b70030bd74"
			"2ad0643cc057763e007b37ee9ace7830086b2a0a3514a007e3f60755"
			"3751b90e2824cb007ba1ff52",
		.want = {
			.opcode = 0x2a, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.pkey = 0x643c, .dqpn = 0x57763e, .psn = 0x7b37ee,
			.va = 0x9ace7830086b2a0aull, .rkey = 0x3514a007,
			.dma_len = 0xe3f60755, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_ONLY 14",
		.hex =
			"45d8004cc20e0000761194edc000028ec633640bcc8312b70038e293"
			"2a60eba200c719a8807ab0b4608f5868bfd8b87d60d00a5c0dd2b469"
			"3d3bcfc0392254aed2882c53d30f00001a8fa1a5",
		.want = {
			.opcode = 0x2a, .pad = 0x2, .payload_bytes = 0xe, .migreq = 0x1,
			.ackreq = 0x1, .pkey = 0xeba2, .dqpn = 0xc719a8,
			.psn = 0x7ab0b4, .va = 0x608f5868bfd8b87dull,
			.rkey = 0x60d00a5c, .dma_len = 0xdd2b469, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_ONLY 5",
		.hex =
			"6306d9bd0030116020010db800000000000000000000602620010db8"
			"0001000000000000000078d902e612b70030e3ca2af0cbef400ed55c"
			"0079b53e91a0951cb418472f889d276e0776056d0ec24a0569000000"
			"7900edc5",
		.want = {
			.opcode = 0x2a, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .becn = 0x1, .pkey = 0xcbef,
			.dqpn = 0xed55c, .psn = 0x79b53e, .va = 0x91a0951cb418472full,
			.rkey = 0x889d276e, .dma_len = 0x776056d, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_ONLY 12",
		.hex =
			"631b63a10034113e20010db800000000000000000000ee2c20010db8"
			"000100000000000000004eea2b4e12b70034558e2a406cc300056369"
			"806fe626e56890c6e28070ffb0cd7dffd61f25432a82e04e34e83a61"
			"f14692ecd898126e",
		.want = {
			.opcode = 0x2a, .payload_bytes = 0xc, .migreq = 0x1,
			.ackreq = 0x1, .pkey = 0x6cc3, .dqpn = 0x56369, .psn = 0x6fe626,
			.va = 0xe56890c6e28070ffull, .rkey = 0xb0cd7dff,
			.dma_len = 0xd61f2543, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_ONLY_WITH_IMM 7",
		.hex =
			"45f300485f274000df114d97c00002dbc63364e44caf12b70034a677"
			"2bd031c680bfea69800d2ac41139452daed8ad379881254adab338b1"
			"b27a6e7f034739d3ae803500724947ec",
		.imm = 0xb27a6e7f,
		.want = {
			.opcode = 0x2b, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .ackreq = 0x1,
			.pkey = 0x31c6, .dqpn = 0xbfea69, .psn = 0xd2ac4,
			.va = 0x1139452daed8ad37ull, .rkey = 0x9881254a,
			.dma_len = 0xdab338b1, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv4 UC_RDMA_WRITE_ONLY_WITH_IMM 14",
		.hex =
			"454e0050562240005e11d89dc00002e6c6336475929d12b7003cb3cb"
			"2be06c5540c26f8b0036e158a04797f2cfca8be5ab2b3948e890865b"
			"89d65fae087eb3b2f39f61a4d456132faba500003fab9223",
		.imm = 0x89d65fae,
		.want = {
			.opcode = 0x2b, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .becn = 0x1, .pkey = 0x6c55,
			.dqpn = 0xc26f8b, .psn = 0x36e158,
			.va = 0xa04797f2cfca8be5ull, .rkey = 0xab2b3948,
			.dma_len = 0xe890865b, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_ONLY_WITH_IMM 5",
		.hex =
			"6b596384003411a720010db800000000000000000000ab6920010db8"
			"0001000000000000000067c3b90212b70034dbc32bb01803c058eece"
			"0044600525978be15db1a3f2446602d10290746647a510833e3ea3db"
			"9d0000007a1a59de",
		.imm = 0x47a51083,
		.want = {
			.opcode = 0x2b, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .fecn = 0x1, .becn = 0x1, .pkey = 0x1803,
			.dqpn = 0x58eece, .psn = 0x446005,
			.va = 0x25978be15db1a3f2ull, .rkey = 0x446602d1,
			.dma_len = 0x2907466, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv6 UC_RDMA_WRITE_ONLY_WITH_IMM 12",
		.hex =
			"6d03f116003811d220010db80000000000000000000033da20010db8"
			"0001000000000000000047dcafe612b700389c8a2b003a30c02ff6a9"
			"808f02ccd32a11b74c025d9de4c0f1209f3952337f7cb62fc49b5948"
			"58c5a0ca4ef02db0a6942fba",
		.imm = 0x7f7cb62f,
		.want = {
			.opcode = 0x2b, .payload_bytes = 0xc, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x3a30, .dqpn = 0x2ff6a9,
			.psn = 0x8f02cc, .va = 0xd32a11b74c025d9dull,
			.rkey = 0xe4c0f120, .dma_len = 0x9f395233, .hdr_bytes = 0x20,
		},
	},
	{
		.name = "IPv4 UD_SEND_ONLY 7",
		.hex =
			"45a7003cba7c0000b6115be6c0000282c63364f1fb7e12b70028972e"
			"64d02f3ac0b8bf12808f821ced56a5370033bee8da6fbe9eebaf6400"
			"a4f47661",
		.want = {
			.opcode = 0x64, .pad = 0x1, .payload_bytes = 0x7,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.ackreq = 0x1, .pkey = 0x2f3a, .dqpn = 0xb8bf12,
			.psn = 0x8f821c, .qkey = 0xed56a537, .sqpn = 0x33bee8,
			.hdr_bytes = 0x14,
		},
	},
	{
		.name = "IPv4 UD_SEND_ONLY 14",
		.hex =
			"45f000447225400083119709c000028cc63364cabfec12b70030564a"
			"64e0f4238012ba03802bac120151be9b004e63901203c95bab157272"
			"5d86fde886fd0000c982cddf",
		.want = {
			.opcode = 0x64, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .ackreq = 0x1,
			.pkey = 0xf423, .dqpn = 0x12ba03, .psn = 0x2bac12,
			.qkey = 0x151be9b, .sqpn = 0x4e6390, .hdr_bytes = 0x14,
		},
	},
	{
		.name = "IPv6 UD_SEND_ONLY 5",
		.hex =
			"6a9c2de10028119320010db800000000000000000000a00620010db8"
			"00010000000000000000349c2b2212b70028bcb964f0da3dc0c410ce"
			"00f94420e7191f6300cfebe81af23dba0f000000aa2796e3",
		.want = {
			.opcode = 0x64, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .becn = 0x1,
			.pkey = 0xda3d, .dqpn = 0xc410ce, .psn = 0xf94420,
			.qkey = 0xe7191f63, .sqpn = 0xcfebe8, .hdr_bytes = 0x14,
		},
	},
	{
		.name = "IPv6 UD_SEND_ONLY 12",
		.hex =
			"601f352a002c113f20010db800000000000000000000916820010db8"
			"00010000000000000000a3a2f6be12b7002c50a66480f95900114b45"
			"00d4ab1198fcb7fe000c2a617117e6e8d3620ffb70a6f34fda70dabf",
		.want = {
			.opcode = 0x64, .payload_bytes = 0xc, .solicited = 0x1,
			.pkey = 0xf959, .dqpn = 0x114b45, .psn = 0xd4ab11,
			.qkey = 0x98fcb7fe, .sqpn = 0xc2a61, .hdr_bytes = 0x14,
		},
	},
	{
		.name = "IPv4 UD_SEND_ONLY_WITH_IMM 7",
		.hex =
			"45d40040e6870000d8110e32c00002dbc6336410325a12b7002ccc0d"
			"6550cc0b80b722bd000b7e9673e9c74b00792ada51ea532b958405a6"
			"49eb9800c8a1c08a",
		.imm = 0x51ea532b,
		.want = {
			.opcode = 0x65, .pad = 0x1, .payload_bytes = 0x7, .migreq = 0x1,
			.fecn = 0x1, .pkey = 0xcc0b, .dqpn = 0xb722bd, .psn = 0xb7e96,
			.qkey = 0x73e9c74b, .sqpn = 0x792ada, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv4 UD_SEND_ONLY_WITH_IMM 14",
		.hex =
			"45340048da1f00002d11c617c0000217c63364efcad112b700341e7b"
			"65a06db3c0208057000274481982759400afc54d990d00a6bbf81746"
			"21f9e896867382490db80000e222d45e",
		.imm = 0x990d00a6,
		.want = {
			.opcode = 0x65, .pad = 0x2, .payload_bytes = 0xe,
			.solicited = 0x1, .fecn = 0x1, .becn = 0x1, .pkey = 0x6db3,
			.dqpn = 0x208057, .psn = 0x27448, .qkey = 0x19827594,
			.sqpn = 0xafc54d, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv6 UD_SEND_ONLY_WITH_IMM 5",
		.hex =
			"6b4579ea002c112920010db800000000000000000000a11620010db8"
			"000100000000000000005d62f90112b7002c557c65f0de888005a6e4"
			"0021a8e1134a95700077bb33e661c50272e9ca98d90000003b94b839",
		.imm = 0xe661c502,
		.want = {
			.opcode = 0x65, .pad = 0x3, .payload_bytes = 0x5,
			.solicited = 0x1, .migreq = 0x1, .fecn = 0x1, .pkey = 0xde88,
			.dqpn = 0x5a6e4, .psn = 0x21a8e1, .qkey = 0x134a9570,
			.sqpn = 0x77bb33, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv6 UD_SEND_ONLY_WITH_IMM 12",
		.hex =
			"60aa6584003011bf20010db800000000000000000000535420010db8"
			"00010000000000000000ec1eddf212b70030157d6580d28cc037f423"
			"8024a3d9f591d574008ab23d8cbedf340b1c0201a06157ce5b770ce3"
			"61490397",
		.imm = 0x8cbedf34,
		.want = {
			.opcode = 0x65, .payload_bytes = 0xc, .solicited = 0x1,
			.fecn = 0x1, .becn = 0x1, .ackreq = 0x1, .pkey = 0xd28c,
			.dqpn = 0x37f423, .psn = 0x24a3d9, .qkey = 0xf591d574,
			.sqpn = 0x8ab23d, .hdr_bytes = 0x18,
		},
	},
	{
		.name = "IPv4 CNP 0",
		.hex =
			"4538003c7d9340003411dba0c0000219c63364f8ae6c12b70028994b"
			"8180a919007e9d3a8042fe4200000000000000000000000000000000"
			"a0e11dea",
		.want = {
			.opcode = 0x81, .solicited = 0x1, .ackreq = 0x1, .pkey = 0xa919,
			.dqpn = 0x7e9d3a, .psn = 0x42fe42, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv6 CNP 0",
		.hex =
			"69a9bfb50028119020010db80000000000000000000007e020010db8"
			"00010000000000000000beda0a1512b70028a41c81006ee5804d606c"
			"80a270180000000000000000000000000000000013415444",
		.want = {
			.opcode = 0x81, .fecn = 0x1, .ackreq = 0x1, .pkey = 0x6ee5,
			.dqpn = 0x4d606c, .psn = 0xa27018, .hdr_bytes = 0x1c,
		},
	},
	{
		.name = "IPv4 RC_SEND_ONLY empty",
		.hex =
			"450e002cdfa300008b11628ac00002cfc6336482f18012b70018843f"
			"044010f3803561af8071b02981f843e2",
		.want = {
			.opcode = 0x4, .migreq = 0x1, .fecn = 0x1, .ackreq = 0x1,
			.pkey = 0x10f3, .dqpn = 0x3561af, .psn = 0x71b029,
			.hdr_bytes = 0xc,
		},
	},
	{
		.name = "IPv6 RC_SEND_ONLY empty",
		.hex =
			"699bae510018116d20010db80000000000000000000062bf20010db8"
			"00010000000000000000154e0bd712b700185b1e0400bb934067f0e3"
			"808e1c04e1c45091",
		.want = {
			.opcode = 0x4, .becn = 0x1, .ackreq = 0x1, .pkey = 0xbb93,
			.dqpn = 0x67f0e3, .psn = 0x8e1c04, .hdr_bytes = 0xc,
		},
	},
