package charset

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Charset is a named encoding of text.
type Charset struct {
	Name     string // in lower case, from the WHATWG Encoding Standard or else the IANA registry
	Encoding encoding.Encoding
}

// UTF8 is the usual charset.
var UTF8 = Charset{"utf-8", utf.UTF8}

// Lookup returns the charset that a label names. It knows the labels of the WHATWG Encoding Standard and
// of the IANA registry, and the names that Python, Java, MySQL, PostgreSQL and mail programs use. Case,
// spaces, hyphens and underscores make no difference. It returns false if the label names no charset, or
// one without a decoder.
func Lookup(label string) (Charset, bool) {
	key := canonical(label)
	if name, ok := aliases[key]; ok {
		label = name
	}
	for _, spelling := range []string{label, strings.ReplaceAll(label, "_", "-"), key} {
		if c, ok := lookup(strings.TrimSpace(spelling)); ok {
			return c, true
		}
	}
	return Charset{}, false
}

// ErrUnknown means that a label names no charset, or one without a decoder.
var ErrUnknown = errors.New("unknown charset")

// NewReader returns a reader of text in UTF-8 from text in the charset that a label names. It returns ErrUnknown for a label
// that Lookup does not know.
func NewReader(label string, r io.Reader) (io.Reader, error) {
	c, ok := Lookup(label)
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, label)
	}
	return c.Encoding.NewDecoder().Reader(r), nil
}

func lookup(label string) (Charset, bool) {
	label = strings.ToLower(label)
	if e, ok := unregistered[label]; ok {
		return Charset{label, e}, true
	}
	if e, err := htmlindex.Get(label); err == nil && e != encoding.Replacement {
		name, err := htmlindex.Name(e)
		if e == simplifiedchinese.GBK {
			e = simplifiedchinese.GB18030 // the standard uses this decoder for both
		}
		return Charset{name, e}, err == nil
	}
	// The index returns neither an encoding nor an error for a name that it knows but cannot decode.
	e, err := ianaindex.IANA.Encoding(label)
	if err != nil || e == nil {
		return Charset{}, false
	}
	name, err := ianaindex.IANA.Name(e)
	return Charset{strings.ToLower(name), e}, err == nil
}

// unregistered contains the encodings that neither index decodes.
var unregistered = map[string]encoding.Encoding{
	"utf-32":   utf32.UTF32(utf32.LittleEndian, utf32.UseBOM),
	"utf-32le": utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
	"utf-32be": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
}

// canonical returns the letters and digits of a label in lower case.
func canonical(label string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, label)
}

// IsASCII reports whether a label names US-ASCII. The WHATWG Encoding Standard decodes it as Windows-1252, but
// it does not say what other bytes mean.
func IsASCII(label string) bool { return ascii[canonical(label)] }

var ascii = keys("usascii ascii ansix341968 ansix341986 iso646irv1991 iso646us isoir6 us ibm367 cp367 csascii 646 sqlascii 20127")

func keys(list string) map[string]bool {
	all := map[string]bool{}
	for key := range strings.FieldsSeq(list) {
		all[key] = true
	}
	return all
}

// aliases maps the canonical form of a label to a label that the indexes know.
var aliases = func() map[string]string {
	all := map[string]string{}
	for name, labels := range map[string]string{
		"utf-8":          "u8 utf utf8ucs2 utf8ucs4 cp65001 65001 utf8sig utf8bom utf8mb3 utf8mb4 unicode al32utf8",
		"utf-16le":       "u16 utf16 ucs2 utf16le unicodelittleunmarked 1200",
		"utf-16be":       "utf16be unicodebigunmarked 1201",
		"utf-32":         "u32 utf32",
		"utf-32le":       "utf32le 12000",
		"utf-32be":       "utf32be 12001",
		"windows-1250":   "1250 cp1250 win1250 ee8mswin1250",
		"windows-1251":   "1251 cp1251 win1251 win cl8mswin1251",
		"windows-1252":   "1252 cp1252 win1252 8859 cp819 ibm819 iso8859 latin latin1 iso885911987 we8mswin1252 ansi ansinew",
		"windows-1253":   "1253 cp1253 win1253",
		"windows-1254":   "1254 cp1254 win1254 iso885991989",
		"windows-1255":   "1255 cp1255 win1255",
		"windows-1256":   "1256 cp1256 win1256",
		"windows-1257":   "1257 cp1257 win1257",
		"windows-1258":   "1258 cp1258 win1258 tcvn",
		"windows-874":    "874 cp874 ms874 thai tis620 tis6200 tis62025290 tis62025291 isoir166 iso885911 iso8859112001",
		"iso-8859-2":     "latin2 l2 iso88592 iso885921987",
		"iso-8859-3":     "latin3 l3 iso88593 iso885931988",
		"iso-8859-4":     "latin4 l4 iso88594 iso885941988",
		"iso-8859-5":     "cyrillic iso88595 iso885951988",
		"iso-8859-6":     "arabic iso88596 iso885961987",
		"iso-8859-7":     "greek greek8 elot928 iso88597 iso885971987",
		"iso-8859-8":     "hebrew iso88598 iso885981988",
		"iso-8859-10":    "latin6 l6 iso885910 iso8859101992",
		"iso-8859-13":    "latin7 l7 iso885913",
		"iso-8859-14":    "latin8 l8 iso885914 iso8859141998 isoceltic isoir199",
		"iso-8859-15":    "latin9 l9 iso885915 latin0",
		"iso-8859-16":    "latin10 l10 iso885916 iso8859162001 isoir226",
		"koi8-r":         "koi8r koi8 cskoi8r 20866",
		"koi8-u":         "koi8u 21866",
		"macintosh":      "macroman mac macintosh",
		"x-mac-cyrillic": "maccyrillic xmacukrainian",
		"gb18030":        "gb180302000 54936",
		"gbk":            "936 cp936 ms936 chinese euccn eucgb2312cn gb231280 gb23121980 gb2312 xmacsimpchinese xgbk",
		"big5":           "950 cp950 ms950 big5tw big5hkscs hkscs xmactradchinese",
		"shift_jis":      "932 cp932 ms932 mskanji windows31j sjis shiftjis xmacjapanese xwindows31j cp943 cp943c shiftjis2004 sjis2004 shiftjisx0213 sjisx0213",
		"euc-jp":         "eucjp ujis eucjis2004 jisx0213 eucjisx0213 51932",
		"iso-2022-jp":    "iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpext csiso2022jp jis",
		"euc-kr":         "949 cp949 ms949 uhc euckr korean ksc5601 ksc56011987 ksx1001 xmackorean xwindows949",
		"hz-gb-2312":     "hz hzgb hzgb2312",
		"ibm037":         "037 cp037 ibm039 ebcdiccpca ebcdiccpnl ebcdiccpus ebcdiccpwt",
		"ibm437":         "437 cp437",
		"ibm850":         "850 cp850",
		"ibm852":         "852 cp852",
		"ibm855":         "855 cp855",
		"ibm00858":       "858 cp858 ibm858 csibm858",
		"ibm860":         "860 cp860",
		"ibm862":         "862 cp862",
		"ibm863":         "863 cp863",
		"ibm865":         "865 cp865",
		"ibm866":         "866 cp866 alt",
		"ibm1047":        "1047 cp1047",
		"ibm01140":       "1140 cp1140 ibm1140",
	} {
		for label := range strings.FieldsSeq(labels) {
			all[label] = name
		}
	}
	return all
}()
