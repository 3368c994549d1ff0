package charset

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	utf "golang.org/x/text/encoding/unicode"
)

// texts contains sentences in languages and the charsets that can hold them.
var texts = []struct{ language, charsets, text string }{
	{"de", "windows-1252 ibm850 ibm437 macintosh", "Die Größe der Flüsse überraschte uns. Für die Prüfung müssen die Schüler täglich üben. Das Mädchen hört schöne Lieder."},
	{"fr", "windows-1252 ibm850 macintosh", "L'été dernier, nous avons visité une très vieille église. Le garçon préfère le théâtre où il répète. Voilà déjà la forêt."},
	{"es", "windows-1252 ibm850", "El niño pequeño soñó con una montaña. Mañana será otro día, según mi compañero. ¿Cuándo llegará el avión?"},
	{"sv", "windows-1252 ibm850", "Det är väldigt kallt på hösten här. Jag åker också till sjön på lördag för att träffa några vänner."},
	{"pl", "windows-1250 iso-8859-2 ibm852", "Książka leży na stole. Jeździłem wczoraj po całym mieście, żeby znaleźć świeże owoce. Dziękuję, że przyszłaś."},
	{"cs", "windows-1250 iso-8859-2 ibm852", "Včera jsme šli do města. Příští týden přijede můj přítel. Děkuji, že jste přišli, těším se na další setkání."},
	{"hu", "windows-1250 iso-8859-2 ibm852", "A könyv az asztalon fekszik. Holnap későn érkezünk, mert először meglátogatjuk a szüleimet. Köszönöm, hogy eljöttél."},
	{"ru", "windows-1251 koi8-r iso-8859-5 ibm866", "Вчера мы ходили в город. На следующей неделе приедет мой друг. Спасибо, что пришли, я буду рад новой встрече."},
	{"ru", "windows-1251 koi8-r", "Широкая электрификация южных губернийШирокая электрификация южных губерний"}, // in KOI8-R, frames of DOS
	{"de", "ibm437 ibm850", "┌──────────┬───────┐\r\n│ Größe    │ Fläche│\r\n├──────────┼───────┤\r\n│ überprüft│ schön │\r\n└──────────┴───────┘\r\n╔════╗ Für die Prüfung üben"},
	{"uk", "windows-1251 koi8-u iso-8859-5", "Вчора ми ходили до міста. Наступного тижня приїде мій друг. Дякую, що прийшли, я буду радий новій зустрічі."},
	{"bg", "windows-1251 iso-8859-5", "Вчера ходихме в града. Следващата седмица ще дойде моят приятел. Благодаря, че дойдохте, ще се радвам да се видим."},
	{"el", "windows-1253 iso-8859-7", "Χθες πήγαμε στην πόλη. Την επόμενη εβδομάδα θα έρθει ο φίλος μου. Ευχαριστώ που ήρθατε."},
	{"tr", "windows-1254", "Dün şehre gittik. Gelecek hafta arkadaşım gelecek. Geldiğiniz için teşekkürler, yeniden görüşmek güzel olacak."},
	{"he", "windows-1255 iso-8859-8", "אתמול הלכנו לעיר. בשבוע הבא יבוא החבר שלי. תודה שבאתם, אשמח לפגוש אתכם שוב."},
	{"ar", "windows-1256 iso-8859-6", "ذهبنا أمس إلى المدينة. سيصل صديقي في الأسبوع القادم. شكرا لكم على الحضور."},
	{"lt", "windows-1257", "Vakar mes ėjome į miestą. Kitą savaitę atvažiuos mano draugas. Ačiū, kad atėjote, džiaugsiuosi nauju susitikimu."},
	{"vi", "windows-1258", "Hôm qua chúng tôi đã đi vào thành phố. Tuần sau bạn của tôi sẽ đến. Cảm ơn các bạn đã đến."},
	{"th", "windows-874", "เมื่อวานนี้เราไปในเมือง สัปดาห์หน้าเพื่อนของฉันจะมา ขอบคุณที่มา"},
	{"ja", "shift_jis euc-jp", "昨日私たちは町へ行きました。来週、友達が来ます。来てくれてありがとうございます。"},
	{"ko", "euc-kr", "어제 우리는 시내에 갔습니다. 다음 주에 제 친구가 옵니다. 와 주셔서 감사합니다."},
	{"zh", "gb18030", "昨天我们去了城里。下个星期我的朋友要来。谢谢你们的到来，很高兴再见到你们。"},
	{"zh", "big5", "昨天我們去了城裡。下個星期我的朋友要來。謝謝你們的到來，很高興再見到你們。"},
}

func guess(data string) Guess {
	var e Evidence
	_, _ = e.Write([]byte(data)) // it never fails
	return e.Guess()
}

// TestGuess encodes each text in its charsets, and checks that the guess decodes it: several charsets may decode it alike.
func TestGuess(t *testing.T) {
	for _, c := range texts {
		for name := range strings.FieldsSeq(c.charsets) {
			charset, ok := Lookup(name)
			if !ok {
				t.Fatalf("no charset %s", name)
			}
			text := c.text
			if name == "windows-1258" {
				text = tonesApart(text)
			}
			coded, err := charset.Encoding.NewEncoder().String(text)
			if err != nil {
				t.Fatalf("%s in %s: %v", c.language, name, err)
			}
			g := guess(coded)
			got, err := g.Encoding.NewDecoder().String(coded)
			if err != nil || got != text || !g.Certain || g.Language != c.language {
				t.Errorf("%s in %s: got %s, language %s, certain %v: %q, %v; want %q", c.language, name, g.Name, g.Language, g.Certain, got, err, text)
			}
		}
	}
}

// tonesApart writes the marks of Vietnamese tones separately, as Windows-1258 has them.
func tonesApart(text string) string {
	return strings.NewReplacer(
		"ầ", "â\u0300", "ả", "a\u0309", "ạ", "a\u0323", "ẽ", "e\u0303", "ế", "ê\u0301", "ú", "u\u0301", "à", "a\u0300", "ã", "a\u0303", "ố", "ô\u0301",
		"ủ", "u\u0309", "ò", "o\u0300",
	).Replace(text)
}

// TestGuessUTF8 checks that single bytes that are not UTF-8 do not contradict it, wherever they are.
func TestGuessUTF8(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	for _, c := range texts {
		for range 20 {
			at := rng.IntN(len(c.text) + 1)
			for _, wrong := range []string{"", "\xFF", "\xE9", "\xC3", "\x80"} {
				if g := guess(c.text[:at] + wrong + c.text[at:]); g.Name != "utf-8" {
					t.Errorf("%s with %q at %d: got %s, want utf-8", c.language, wrong, at, g.Name)
				}
			}
		}
		if g := guess(c.text[:len(c.text)-2]); g.Name != "utf-8" {
			t.Errorf("%s, cut: got %s, want utf-8", c.language, g.Name)
		}
	}
	if g := guess("plain text"); g.Name != "utf-8" || !g.Certain {
		t.Errorf("ASCII: got %s, certain %v, want utf-8, certain", g.Name, g.Certain)
	}
}

// TestEvidenceInPieces checks that the guess does not depend on how the text is divided into writes.
func TestEvidenceInPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	long := strings.Repeat("plain words and more of them\n", 2000)
	for _, c := range texts {
		for name := range strings.FieldsSeq(c.charsets) {
			charset, _ := Lookup(name)
			coded, err := charset.Encoding.NewEncoder().String(tonesApart(c.text))
			if err != nil {
				coded = c.text
			}
			coded = long + coded + "\n" + c.text + long
			want := guess(coded)
			var e Evidence
			for rest := []byte(coded); len(rest) > 0; {
				n := min(len(rest), 1+rng.IntN(1+rng.IntN(5000)))
				_, _ = e.Write(rest[:n]) // it never fails
				rest = rest[n:]
			}
			if got := e.Guess(); got != want {
				t.Errorf("%s in %s: got %+v in pieces, want %+v", c.language, name, got, want)
			}
		}
	}
}

func TestGuessISO2022JP(t *testing.T) {
	coded, err := japanese.ISO2022JP.NewEncoder().String("昨日私たちは町へ行きました。")
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{"", "plain ", "\x1B[31mred\x1B[0m "} {
		if g := guess(before + coded); g.Name != "iso-2022-jp" {
			t.Errorf("after %q: got %s, want iso-2022-jp", before, g.Name)
		}
	}
	for _, text := range []string{"\x1B[31mred\x1B[0m", "\x1B(B plain", "\x1B$ plain", "\x1B"} {
		if g := guess(text); g.Name != "utf-8" {
			t.Errorf("%q: got %s, want utf-8", text, g.Name)
		}
	}
}

func TestUTF16(t *testing.T) {
	english := "Plain words, and more of them.\r\n"
	for _, c := range append(texts, struct{ language, charsets, text string }{"en", "", english}) {
		text := c.text + "\r\n" + c.text
		for name, order := range map[string]utf.Endianness{"utf-16le": utf.LittleEndian, "utf-16be": utf.BigEndian} {
			coded, err := utf.UTF16(order, utf.IgnoreBOM).NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := UTF16([]byte(coded)); !ok || got.Name != name {
				t.Errorf("%s in %s: got %q, %v", c.language, name, got.Name, ok)
			}
		}
		if got, ok := UTF16([]byte(text)); ok && strings.Contains(text, "\x00") {
			t.Errorf("%s in UTF-8: got %q, want nothing", c.language, got.Name)
		}
	}
	for _, head := range []string{"", "a", "\x00\x00\x00\x00", "\x01\x00\x02\x00\x03\x00", "GIF89a\x01\x00\x01\x00\x80\x00\x00"} {
		if got, ok := UTF16([]byte(head)); ok {
			t.Errorf("%q: got %q, want nothing", head, got.Name)
		}
	}
}

func TestFindEscape(t *testing.T) {
	for text, want := range map[string]int{"": -1, "plain": -1, "\x1B[0m": -1, "a\x1B$B": 1, "\x1B[0m\x1B(J": 4, "cut\x1B": 3} {
		if got := FindEscape([]byte(text)); got != want {
			t.Errorf("FindEscape(%q): got %d, want %d", text, got, want)
		}
	}
}

func TestASCIIPrefix(t *testing.T) {
	plain := strings.Repeat("a", 100)
	for at := range plain {
		if got := ASCIIPrefix([]byte(plain[:at] + "\x80" + plain)); got != at {
			t.Errorf("got %d, want %d", got, at)
		}
	}
}

// TestRivals checks that a guess that is not certain names the charset that is nearly as likely.
func TestRivals(t *testing.T) {
	for text, want := range map[string][2]string{
		"name,value\nZ\xfcrich,1\nGen\xe8ve,2\n": {"windows-1252", "windows-1250"}, // Zürich, Genève or Genčve
		"name\nM\xfcller\nSch\xe4fer\n":          {"windows-1252", ""},
		"d (\xb5m),c [\xb5g/L]\n1,2\n":           {"windows-1252", ""},
	} {
		if g := guess(text); g.Name != want[0] || g.Rival != want[1] || g.Certain != (want[1] == "") {
			t.Errorf("%q: got %s, rival %q, certain %t, want %q", text, g.Name, g.Rival, g.Certain, want)
		}
	}
}
