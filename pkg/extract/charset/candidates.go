package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/assay-project/assay/pkg/extract/letters"
)

// candidate is an encoding that extends ASCII, with the languages that are written in it.
type candidate struct {
	name      string
	encoding  encoding.Encoding
	languages string
	prior     int // how unusual the encoding is today, in bits
}

// candidates are the encodings of the WHATWG Encoding Standard and those of DOS.
var candidates = []candidate{
	{"utf-8", unicode.UTF8, "", 0},
	{"windows-1252", charmap.Windows1252, western + " et", 0},
	{"windows-1250", charmap.Windows1250, central, 2},
	{"windows-1251", charmap.Windows1251, cyrillic, 0},
	{"windows-1253", charmap.Windows1253, "el", 1},
	{"windows-1254", charmap.Windows1254, "tr az", 2},
	{"windows-1255", charmap.Windows1255, "he", 1},
	{"windows-1256", charmap.Windows1256, "ar fa ur", 1},
	{"windows-1257", charmap.Windows1257, baltic, 3},
	{"windows-1258", charmap.Windows1258, "vi", 3},
	{"windows-874", charmap.Windows874, "th", 1},
	{"gb18030", simplifiedchinese.GB18030, "zh", 0},
	{"big5", traditionalchinese.Big5, "zh", 1},
	{"euc-jp", japanese.EUCJP, "ja", 1},
	{"shift_jis", japanese.ShiftJIS, "ja", 0},
	{"euc-kr", korean.EUCKR, "ko", 0},
	{"koi8-r", charmap.KOI8R, "ru bg", 2},
	{"koi8-u", charmap.KOI8U, "uk ru be", 4},
	{"iso-8859-2", charmap.ISO8859_2, central, 3},
	{"iso-8859-3", charmap.ISO8859_3, "eo tr it", 10},
	{"iso-8859-4", charmap.ISO8859_4, baltic, 9},
	{"iso-8859-5", charmap.ISO8859_5, cyrillic, 5},
	{"iso-8859-6", charmap.ISO8859_6, "ar", 4},
	{"iso-8859-7", charmap.ISO8859_7, "el", 3},
	{"iso-8859-8", charmap.ISO8859_8, "he", 3},
	{"iso-8859-10", charmap.ISO8859_10, "lt lv et is", 12},
	{"iso-8859-13", charmap.ISO8859_13, baltic + " pl hr", 8},
	{"iso-8859-14", charmap.ISO8859_14, "ga cy", 10},
	{"iso-8859-15", charmap.ISO8859_15, western + " et", 4},
	{"iso-8859-16", charmap.ISO8859_16, central, 10},
	{"macintosh", charmap.Macintosh, western, 8},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, cyrillic, 8},
	{"ibm866", charmap.CodePage866, cyrillic, 4},
	{"ibm855", charmap.CodePage855, cyrillic, 9},
	{"ibm852", charmap.CodePage852, central, 8},
	{"ibm850", charmap.CodePage850, western, 8},
	{"ibm437", charmap.CodePage437, western, 9},
	{"ibm858", charmap.CodePage858, western, 12},
	{"ibm860", charmap.CodePage860, "pt", 12},
	{"ibm862", charmap.CodePage862, "he", 8},
	{"ibm863", charmap.CodePage863, "fr", 12},
	{"ibm865", charmap.CodePage865, "da nb", 10},
}

const (
	western  = "en de fr es pt it nl da sv nb fi is ca eu ga sq"
	central  = "pl cs sk hu sl hr ro sq de"
	cyrillic = "ru uk bg be sr mk"
	baltic   = "lt lv et"
)

// spoken returns the languages of a candidate.
func (c candidate) spoken() []*letters.Language {
	all := letters.All()
	var spoken []*letters.Language
	if c.languages == "" {
		for _, l := range all {
			spoken = append(spoken, l)
		}
		return spoken
	}
	for _, name := range strings.Fields(c.languages) {
		spoken = append(spoken, all[name])
	}
	return spoken
}
