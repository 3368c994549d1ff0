package main

import (
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// fonts are those of watermarks. The fonts for Chinese and Japanese have the characters of GB 2312 and JIS X 0208, the font
// for Korean has the syllables of KS X 1001: the complete fonts are five times as large.
var fonts = []source{
	{
		pack:      "@expo-google-fonts/noto-sans@0.4.2",
		integrity: "sha512-zYD8G2ijWLxqmquoQgghNh/x9p0yxWwArD0oxO1oXY1qx5vOd4t0Kbhnu/Cx8RTy08OgA8RtxuULZFaXwVPnPw==",
		file:      "package/400Regular/NotoSans_400Regular.ttf",
		sha256:    "fe8c022f48d8dd29f17b744d16f9346f4357e16f7d4f7be58b000ae7c291b614",
		to:        "../photo/text/fonts/latin.ttf.br",
	},
	{
		pack:      "@expo-google-fonts/noto-sans-hebrew@0.4.1",
		integrity: "sha512-NR3vP6GT/hSINLrk4JHJBQnuzh/C1mlMrphNlI2dQaO53a3oTjSRoG4JyYb1B6bHadjsGh0wPZbT4kMJBKjT/w==",
		file:      "package/400Regular/NotoSansHebrew_400Regular.ttf",
		sha256:    "e0ee753f09733337b9236221018d4bf71fd6d06c87dd76bbc83120514bc55911",
		to:        "../photo/text/fonts/hebrew.ttf.br",
	},
	{
		pack:      "@expo-google-fonts/noto-sans-arabic@0.4.3",
		integrity: "sha512-YvtxyuegxPegu2g5urXJ+gQxRp8i798nQswTmEjwXOWR/fqy0Gvey6h5IoNRBrc43SxRxPezqCiR9ivpfPAXSg==",
		file:      "package/400Regular/NotoSansArabic_400Regular.ttf",
		sha256:    "252629ca0e87b6233851249b8cbf7b43445211a8caf199f1b306a19202251508",
		to:        "../photo/text/fonts/arabic.ttf.br",
	},
	{
		pack:      "@expo-google-fonts/noto-sans-devanagari@0.4.1",
		integrity: "sha512-26boYPNKGP1r4R5MxsMAY/zCQOwiXLOJzX8sh1a2oEWyQurQsyniaCv4992c+9jjwshEEt2NNVv5GcnyzaL7QQ==",
		file:      "package/400Regular/NotoSansDevanagari_400Regular.ttf",
		sha256:    "084a94d89eb54aafb93a056e15425c34fd859f6342875165d304837b3bcfc2d2",
		to:        "../photo/text/fonts/devanagari.ttf.br",
	},
	{
		pack:      "@expo-google-fonts/noto-sans-thai@0.4.2",
		integrity: "sha512-PGBBBDGfJJ/5y2hNweLBZWD4YmVT4uOO4chsOPXyl0TktaBJamDKVKv/WbGiDTeBGdkegLiytsWo+lhnkHP5qA==",
		file:      "package/400Regular/NotoSansThai_400Regular.ttf",
		sha256:    "9acb585d8662ca4ed1b1cf5889dfa1393f8555103b3986e1ea1e3af4faef70bd",
		to:        "../photo/text/fonts/thai.ttf.br",
	},
	{
		pack:      "@expo-google-fonts/noto-sans-sc@0.4.3",
		integrity: "sha512-9rAwdFTFHbO/u6Cs0gj2jZbW74TGIiaFNQnXYH2s5wA1bzVkwbaviL4t8YUV642eGYjg86eH6DkAEQmfNHDncQ==",
		file:      "package/400Regular/NotoSansSC_400Regular.ttf",
		sha256:    "8086abaf9516af12019adf76d40e12a6ceb91f8dd04efcf13cbe661e34bc44d8",
		to:        "../photo/text/fonts/chinese.ttf.br",
		sets:      []rows{{simplifiedchinese.GBK, 0xa1, 0xa9}, {simplifiedchinese.GBK, 0xb0, 0xf7}},
	},
	{
		pack:      "@expo-google-fonts/noto-sans-jp@0.4.3",
		integrity: "sha512-Fl+Z6vtD24HFAYsvzB0S9Nery1ly16B9PesdY0wBd+wEHAvkNglnkTUspU0HqGOubkmoa8zusJrKv6vDx1o70A==",
		file:      "package/400Regular/NotoSansJP_400Regular.ttf",
		sha256:    "4798cdf1941aa055880261344f8fd1799ecd1259c6f8e1bb0622e620b1635bcb",
		to:        "../photo/text/fonts/japanese.ttf.br",
		base:      "../photo/text/fonts/chinese.ttf.br",
		sets:      []rows{{japanese.EUCJP, 0xa1, 0xa8}, {japanese.EUCJP, 0xb0, 0xf4}},
	},
	{
		pack:      "@expo-google-fonts/noto-sans-kr@0.4.3",
		integrity: "sha512-EVS/uJPcf1TgJtjmQmrFr0oGdcl7ml09CSu0E/AyGzR0UfzdR2pBbzWWPsnuzZiGUl643ODYwYiXK5+B+fLjhQ==",
		file:      "package/400Regular/NotoSansKR_400Regular.ttf",
		sha256:    "f31748f8c6f01c85edb3b5cef3139905e08028875eb6a2bbd26f3ec81c11555f",
		to:        "../photo/text/fonts/korean.ttf.br",
		base:      "../photo/text/fonts/chinese.ttf.br",
		sets:      []rows{{korean.EUCKR, 0xa1, 0xac}, {korean.EUCKR, 0xb0, 0xc8}},
	},
}
