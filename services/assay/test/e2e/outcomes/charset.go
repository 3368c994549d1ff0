package outcomes

import (
	"net/http"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// charsetsAreFound: the result of a text and its event say in which charset it was counted, how the charset was found, and
// what of the text or of its declaration was left out.
func charsetsAreFound(t *testing.T, s system.System) {
	const polish, russian = "Książka leży na stole, żeby znaleźć świeże owoce.", "Съешь же ещё этих мягких французских булок, да выпей чаю."
	latin2, err := charmap.ISO8859_2.NewEncoder().String(polish)
	if err != nil {
		t.Fatal(err)
	}
	koi8, err := charmap.KOI8R.NewEncoder().String(russian)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		contentType, content, text string
		want                       client.Result
	}{
		"mark":     {"text/plain", "\ufeff" + polish, polish, client.Result{Charset: "utf-8", CharsetSource: "mark"}},
		"declared": {"text/plain; charset=koi8_r", koi8, russian, client.Result{Charset: "koi8-r", CharsetSource: "declared"}},
		"detected": {"text/plain", latin2, polish, client.Result{Charset: "iso-8859-2", CharsetSource: "detected"}},
		"unknown":  {"text/plain; charset=klingon", koi8, russian, client.Result{Charset: "koi8-r", CharsetSource: "detected", IgnoredCharset: "klingon"}},
		"other":    {"text/plain; charset=utf-8", koi8, russian, client.Result{Charset: "koi8-r", CharsetSource: "detected", IgnoredCharset: "utf-8"}},
		"replaced": {"text/plain", polish + " a\xFFb", polish + " a b", client.Result{Charset: "utf-8", CharsetSource: "detected", Replaced: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, events := s.Client(t, system.NewOwner()), s.Listen(t, "assay.analysis.completed.textfile.*")
			file := system.Await(t, c, system.UploadPresigned(t, c, "a.txt", test.contentType, []byte(test.content)).FileID)
			system.CheckResult(t, file, system.Count(test.text))
			if file.Result == nil {
				t.FailNow()
			}
			checkDecoding(t, *file.Result, test.want)
			var outcome struct{ TextStatistics client.Result }
			system.Decode(t, string(system.NextOf(t, events, file.FileID).Data), &outcome)
			checkDecoding(t, outcome.TextStatistics, test.want)
		})
	}
}

func checkDecoding(t *testing.T, got, want client.Result) {
	t.Helper()
	if got.Charset != want.Charset || got.CharsetSource != want.CharsetSource || got.IgnoredCharset != want.IgnoredCharset || got.Replaced != want.Replaced {
		t.Errorf("got %s, want the charset, its source, the ignored charset and the replaced bytes of %s", system.JSON(got), system.JSON(want))
	}
}

// retriesStateACharset: a text that was read in a wrong charset is read again in the one that a retry states, which later
// retries keep. The list, the event and the result agree.
func retriesStateACharset(t *testing.T, s system.System) {
	const russian = "Съешь же ещё этих мягких французских булок, да выпей чаю."
	koi8, err := charmap.KOI8R.NewEncoder().String(russian)
	if err != nil {
		t.Fatal(err)
	}
	misread, err := charmap.Windows1251.NewDecoder().String(koi8)
	if err != nil {
		t.Fatal(err)
	}
	c, events := s.Client(t, system.NewOwner()), s.Listen(t, "assay.analysis.completed.textfile.*")
	file := system.Await(t, c, system.UploadPresigned(t, c, "a.txt", "text/plain; charset=windows-1251", []byte(koi8)).FileID)
	system.CheckResult(t, file, system.Count(misread))
	system.NextOf(t, events, file.FileID)
	if _, err := c.RetryAs(system.Within(t), file.FileID, "klingon"); !system.IsProblem(err, http.StatusUnprocessableEntity) {
		t.Errorf("a retry with an unknown charset returned %v, want 422", err)
	}
	again, err := c.RetryAs(system.Within(t), file.FileID, "KOI8_R")
	if err != nil || again.Status != client.Pending || again.Result != nil {
		t.Fatalf("the retry returned %s, error %v, want a PENDING file without a result", system.JSON(again), err)
	}
	want := client.Result{Charset: "koi8-r", CharsetSource: "declared"}
	file = system.Await(t, c, file.FileID)
	system.CheckResult(t, file, system.Count(russian))
	checkDecoding(t, *file.Result, want)
	var outcome struct{ TextStatistics client.Result }
	system.Decode(t, string(system.NextOf(t, events, file.FileID).Data), &outcome)
	checkDecoding(t, outcome.TextStatistics, want)
	if listed := system.OnlyFile(t, c); listed.Status != client.Completed || !listed.UpdatedAt.Equal(file.UpdatedAt) {
		t.Errorf("the list contains %s, want the file as it is now", system.JSON(listed))
	}
}
