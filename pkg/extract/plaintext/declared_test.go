package plaintext

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// language is a charset with log text in a language that uses it.
type language struct {
	label    string
	encoding encoding.Encoding
	words    []string
}

var languages = []language{
	{"gbk", simplifiedchinese.GBK, []string{"用户登录成功", "连接超时", "数据库错误", "重新启动服务"}},
	{"gb2312", simplifiedchinese.GBK, []string{"用户登录成功", "连接超时"}},
	{"shift_jis", japanese.ShiftJIS, []string{"接続エラー", "ログイン成功", "データベース", "ｱｲｳ"}},
	{"euc-jp", japanese.EUCJP, []string{"接続エラー", "ログイン成功", "データベース"}},
	{"big5", traditionalchinese.Big5, []string{"使用者登入成功", "連線逾時", "資料庫錯誤"}},
	{"euc-kr", korean.EUCKR, []string{"로그인 성공", "연결 시간 초과", "데이터베이스 오류"}},
	{"windows-1252", charmap.Windows1252, []string{"Größe", "naïve", "garçon", "“señor”"}},
	{"iso-8859-1", charmap.Windows1252, []string{"Größe", "naïve"}},
	{"windows-1251", charmap.Windows1251, []string{"ошибка", "соединение"}},
}

// alike returns runs of characters whose bytes in the charset are also valid UTF-8.
func (l language) alike() []string {
	var found []string
	encoder := l.encoding.NewEncoder()
	bytes := func(text string) (string, bool) {
		coded, err := encoder.String(text)
		return coded, err == nil && utf8.ValidString(coded) && len(coded) > utf8.RuneCountInString(coded)
	}
	for r := rune(0xA0); r < 0x10000; r++ {
		if _, ok := bytes(string(r)); ok {
			found = append(found, string(r))
		}
	}
	if len(found) > 0 {
		return found
	}
	for first := 0xC2; first < 0xE0; first++ { // two characters of one byte each
		pair, err := l.encoding.NewDecoder().String(string([]byte{byte(first), 0xBC}))
		if _, ok := bytes(pair); err == nil && ok {
			found = append(found, pair)
		}
	}
	return found
}

// log returns lines of a log. The bytes of the first line are valid UTF-8; bytes that are not
// follow later, possibly beyond the window in which a Reader selects the charset.
func (l language) log(rng *rand.Rand, alike []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "2026-01-02 %s\n", alike[rng.IntN(len(alike))])
	plain := strings.Repeat("GET /index.html 200 OK\n", rng.IntN(3*headSize/23))
	b.WriteString(plain)
	for range 1 + rng.IntN(20) {
		fmt.Fprintf(&b, "%d %s\n", rng.IntN(1000), l.words[rng.IntN(len(l.words))])
	}
	b.WriteString(l.words[0])
	b.WriteString(plain)
	return b.String()
}

// TestDeclaredCharset checks that a text in the declared charset is decoded with it, even if it
// begins with valid UTF-8 or consists of it.
func TestDeclaredCharset(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, l := range languages {
		t.Run(l.label, func(t *testing.T) {
			alike := l.alike()
			if len(alike) == 0 {
				t.Fatal("no text in this charset looks like UTF-8")
			}
			texts := append([]string{strings.Join(alike, " ")}, alike[:min(len(alike), 5)]...)
			for range 100 {
				texts = append(texts, l.log(rng, alike))
			}
			for _, text := range texts {
				coded := encode(t, l.encoding, text)
				got, err := readText(func() io.Reader { return strings.NewReader(coded) }, "text/plain; charset="+l.label, 1<<20)
				if err != nil || got != text {
					t.Fatalf("got %.200q, %v; want %.200q", got, err, text)
				}
			}
		})
	}
}

// TestContradictedCharset checks that a text in UTF-8 or Windows-1252 is decoded correctly although
// another charset is declared, if the bytes contradict the declaration, near the start or much
// later.
func TestContradictedCharset(t *testing.T) {
	plain := strings.Repeat("GET /index.html 200 OK\n", 1000)
	const utf8Text = "Größe, naïve, 你好，世界 日本語 한국어 привет …"
	latin := encode(t, charmap.Windows1252, "Größe, naïve – “señor”, garçon, ça và, très fâché\n")
	for _, label := range []string{"gbk", "gb18030", "shift_jis", "euc-jp", "big5", "euc-kr", "iso-2022-jp", "windows-1253", "windows-1255", "us-ascii", "utf-16"} {
		contentType := "text/plain; charset=" + label
		for name, text := range map[string]string{"near": utf8Text + plain, "far": plain + utf8Text + plain + utf8Text} {
			got, err := readText(func() io.Reader { return strings.NewReader(text) }, contentType, 1<<20)
			if err != nil || got != text {
				t.Errorf("%s, UTF-8 %s: got %.60q…%.60q, %v, want the text unchanged", label, name, got, got[max(0, len(got)-60):], err)
			}
		}
	}
	for _, label := range []string{"utf-8", "us-ascii", "shift_jis", "euc-jp", "gbk"} {
		for name, prefix := range map[string]string{"near": "", "after UTF-8": "ö" + plain} {
			if name == "after UTF-8" && label != "utf-8" && label != "us-ascii" {
				continue
			}
			coded := prefix + latin + plain
			want, err := charmap.Windows1252.NewDecoder().String(coded)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readText(func() io.Reader { return strings.NewReader(coded) }, "text/plain; charset="+label, 1<<20)
			if err != nil || got != want {
				t.Errorf("%s, Windows-1252 %s: got %.80q, %v, want %.80q", label, name, got, err, want)
			}
		}
	}
}

// TestValidUTF8ByChance reads undeclared Windows-1252 whose first non-ASCII bytes are valid
// UTF-8 by chance.
func TestValidUTF8ByChance(t *testing.T) {
	text := "CAFÉ®" + strings.Repeat(" plain", headSize) + " Größe"
	coded := encode(t, charmap.Windows1252, text)
	got, err := readText(func() io.Reader { return strings.NewReader(coded) }, "", 1<<20)
	if err != nil || got != text {
		t.Errorf("got %.60q…%.60q, %v, want %.60q…%.60q", got, got[max(0, len(got)-60):], err, text, text[len(text)-60:])
	}
}
