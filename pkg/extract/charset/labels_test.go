package charset

import (
	"strings"
	"testing"
)

// TestLookup checks labels of programs and registries. The lists are the aliases of Python 3.11, module
// encodings.aliases, of the codecs that have a decoder here, and names in the manuals of MySQL, PostgreSQL, Oracle,
// Java and Windows.
func TestLookup(t *testing.T) {
	for name, labels := range map[string]string{
		"utf-8":          "utf-8 UTF8 utf_8 u8 utf utf8_ucs2 utf8_ucs4 cp65001 utf8mb4 UTF-8-SIG unicode AL32UTF8",
		"utf-16le":       "utf-16 utf_16 u16 utf16 utf_16_le utf_16le unicodelittleunmarked",
		"utf-16be":       "utf_16_be utf_16be unicodebigunmarked",
		"utf-32":         "utf_32 u32 utf32",
		"utf-32le":       "utf_32_le utf_32le",
		"utf-32be":       "utf_32_be utf_32be",
		"windows-1250":   "cp1250 1250 windows_1250 WIN1250",
		"windows-1251":   "cp1251 1251 windows_1251 WIN1251",
		"windows-1252":   "cp1252 1252 windows_1252 latin_1 8859 cp819 csisolatin1 ibm819 iso8859 iso8859_1 iso_8859_1 iso_8859_1_1987 iso_ir_100 l1 latin latin1 ISO-8859-1 Cp1252",
		"windows-1253":   "cp1253 1253 windows_1253",
		"windows-1254":   "cp1254 1254 windows_1254 iso8859_9 csisolatin5 iso_8859_9 iso_8859_9_1989 iso_ir_148 l5 latin5",
		"windows-1255":   "cp1255 1255 windows_1255",
		"windows-1256":   "cp1256 1256 windows_1256",
		"windows-1257":   "cp1257 1257 windows_1257",
		"windows-1258":   "cp1258 1258 windows_1258",
		"windows-874":    "cp874 iso8859_11 thai iso_8859_11 iso_8859_11_2001 tis_620 tis620 tis_620_0 tis_620_2529_0 tis_620_2529_1 iso_ir_166",
		"iso-8859-2":     "iso8859_2 csisolatin2 iso_8859_2 iso_8859_2_1987 iso_ir_101 l2 latin2",
		"iso-8859-3":     "iso8859_3 csisolatin3 iso_8859_3 iso_8859_3_1988 iso_ir_109 l3 latin3",
		"iso-8859-4":     "iso8859_4 csisolatin4 iso_8859_4 iso_8859_4_1988 iso_ir_110 l4 latin4",
		"iso-8859-5":     "iso8859_5 csisolatincyrillic cyrillic iso_8859_5 iso_8859_5_1988 iso_ir_144",
		"iso-8859-6":     "iso8859_6 arabic asmo_708 csisolatinarabic ecma_114 iso_8859_6 iso_8859_6_1987 iso_ir_127",
		"iso-8859-7":     "iso8859_7 csisolatingreek ecma_118 elot_928 greek greek8 iso_8859_7 iso_8859_7_1987 iso_ir_126",
		"iso-8859-8":     "iso8859_8 csisolatinhebrew hebrew iso_8859_8 iso_8859_8_1988 iso_ir_138",
		"iso-8859-10":    "iso8859_10 csisolatin6 iso_8859_10 iso_8859_10_1992 iso_ir_157 l6 latin6",
		"iso-8859-13":    "iso8859_13 iso_8859_13 l7 latin7",
		"iso-8859-14":    "iso8859_14 iso_8859_14 iso_8859_14_1998 iso_celtic iso_ir_199 l8 latin8",
		"iso-8859-15":    "iso8859_15 iso_8859_15 l9 latin9",
		"iso-8859-16":    "iso8859_16 iso_8859_16 iso_8859_16_2001 iso_ir_226 l10 latin10",
		"koi8-r":         "koi8_r cskoi8r KOI8",
		"koi8-u":         "koi8_u",
		"macintosh":      "mac_roman macintosh macroman",
		"x-mac-cyrillic": "mac_cyrillic maccyrillic",
		"gb18030":        "gb18030 gb18030_2000",
		"gbk":            "gbk 936 cp936 ms936 gb2312 chinese csiso58gb231280 euc_cn euccn eucgb2312_cn gb2312_1980 gb2312_80 iso_ir_58 x_mac_simp_chinese",
		"big5":           "big5 big5_tw csbig5 x_mac_trad_chinese cp950 950 ms950 big5hkscs big5_hkscs hkscs",
		"shift_jis":      "shift_jis csshiftjis shiftjis sjis s_jis x_mac_japanese cp932 932 ms932 mskanji ms_kanji shift_jis_2004 shiftjis2004 sjis_2004 s_jis_2004 windows-31j x-sjis",
		"euc-jp":         "euc_jp eucjp ujis u_jis euc_jis_2004 eucjis2004 jisx0213",
		"iso-2022-jp":    "iso2022_jp csiso2022jp iso2022jp iso_2022_jp iso2022_jp_1 iso_2022_jp_1 iso2022_jp_2 iso2022_jp_3 iso2022_jp_ext iso_2022_jp_ext",
		"euc-kr":         "euc_kr euckr korean ksc5601 ks_c_5601 ks_c_5601_1987 ksx1001 ks_x_1001 x_mac_korean cp949 949 ms949 uhc",
		"hz-gb-2312":     "hz hzgb hz_gb hz_gb_2312",
		"ibm037":         "cp037 037 csibm037 ebcdic_cp_ca ebcdic_cp_nl ebcdic_cp_us ebcdic_cp_wt ibm037 ibm039",
		"ibm437":         "cp437 437 cspc8codepage437 ibm437",
		"ibm850":         "cp850 850 cspc850multilingual ibm850",
		"ibm852":         "cp852 852 cspcp852 ibm852",
		"ibm855":         "cp855 855 csibm855 ibm855",
		"ibm00858":       "cp858 858 csibm858 ibm858",
		"ibm860":         "cp860 860 csibm860 ibm860",
		"ibm862":         "cp862 862 cspc862latinhebrew ibm862",
		"ibm863":         "cp863 863 csibm863 ibm863",
		"ibm865":         "cp865 865 csibm865 ibm865",
		"ibm866":         "cp866 866 csibm866 ibm866",
		"ibm01140":       "cp1140 1140 ibm1140",
	} {
		for label := range strings.FieldsSeq(labels) {
			for _, spelling := range []string{label, strings.ToUpper(label), " " + strings.ReplaceAll(label, "_", "-") + " "} {
				if c, ok := Lookup(spelling); !ok || c.Name != name || c.Encoding == nil {
					t.Errorf("Lookup(%q): got %q, %v, want %q", spelling, c.Name, ok, name)
				}
			}
		}
	}
}

func TestLookupOfUnknownLabels(t *testing.T) {
	for _, label := range []string{"", " ", "binary", "none", "utf-7", "iso-2022-kr", "iso-2022-cn", "johab", "x-user", "8bit", "unknown-8bit", "mac_latin2", "cp1125"} {
		if c, ok := Lookup(label); ok {
			t.Errorf("Lookup(%q): got %q, want nothing", label, c.Name)
		}
	}
}

func TestIsASCII(t *testing.T) {
	for _, label := range []string{"us-ascii", "ASCII", "646", "ansi_x3.4_1968", "iso646_us", "iso_646.irv:1991", "cp367", "SQL_ASCII"} {
		if !IsASCII(label) {
			t.Errorf("IsASCII(%q): got false, want true", label)
		}
	}
	if IsASCII("utf-8") || IsASCII("") {
		t.Error("IsASCII: got true for utf-8 or an empty label, want false")
	}
}
