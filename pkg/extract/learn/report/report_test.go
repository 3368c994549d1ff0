package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/width"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/report"
)

// hostile are names that files may have, in place of a column.
var hostile = []string{
	`<script>alert(1)</script>`, `</style><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='x`, `{{.Style}}`, `]]>`, `<!--`,
	"safe\u202egnp.exe\u2066", "a\x00b\x1b[31mred", "\xff\xfe", "javascript:alert(1)", strings.Repeat("long ", 2_000), strings.Repeat("名", 10_000), "עברית",
}

// hostileReport returns a report in which every text is the name.
func hostileReport(r report.Report, name string) report.Report {
	replaceTexts(reflect.ValueOf(&r).Elem(), name)
	return r
}

func replaceTexts(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Pointer:
		if !v.IsNil() {
			replaceTexts(v.Elem(), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			replaceTexts(v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				replaceTexts(v.Field(i), name)
			}
		}
	}
}

// small returns the samples with few points, which are fast to check.
func small() map[string]report.Report {
	all := samples()
	for _, r := range all {
		if r.Regression != nil {
			r.Regression.Points = r.Regression.Points[:20]
		}
		if r.Classification != nil {
			r.Classification.ROC = r.Classification.ROC[:20]
		}
	}
	return all
}

func samples() map[string]report.Report {
	return map[string]report.Report{"regression": regression(), "classification": classification(), "useless": useless(), "empty": {}}
}

func page(t *testing.T, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Page(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t *testing.T, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check verifies that a page is well-formed, and that it refers to nothing and runs nothing.
func check(t *testing.T, page string) {
	t.Helper()
	var open []string
	ids := map[string]bool{}
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		token := tokens.Token()
		switch kind {
		case html.StartTagToken:
			switch token.Data {
			case "script", "img", "link", "iframe", "object", "a", "base", "form", "use", "image":
				t.Errorf("the page has %v", token)
			case "meta":
			default:
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%v ends %v", token, open)
			}
			open = open[:len(open)-1]
		}
		for _, a := range token.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "href", strings.Contains(a.Val, "url("), a.Key == "http-equiv" && a.Val != "Content-Security-Policy":
				t.Errorf("%v has %s=%q", token, a.Key, a.Val)
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("the id %s occurs twice", a.Val)
				}
				ids[a.Val] = true
			}
		}
	}
	if err := tokens.Err(); !errors.Is(err, io.EOF) || len(open) > 0 {
		t.Errorf("the page ends with %v, open: %v", err, open)
	}
	for _, rest := range strings.Split(page, "<svg")[1:] {
		svg, _, _ := strings.Cut("<svg"+rest, "</svg>")
		svg += "</svg>"
		if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
			t.Errorf("%v in %.200s", err, svg)
		}
		if strings.Contains(svg, `role="img"`) != (strings.Contains(svg, "<title id=") && strings.Contains(svg, "<desc id=")) {
			t.Errorf("a picture has no title and description: %.200s", svg)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "http:", "https:", "ZgotmplZ", "@import"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if !utf8.ValidString(page) || strings.ContainsFunc(page, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) || r < ' ' && r != '\n' }) {
		t.Error("the page has control characters")
	}
}

func TestPage(t *testing.T) {
	for name, r := range samples() {
		t.Run(name, func(t *testing.T) {
			once := page(t, r)
			check(t, once)
			if once != page(t, r) {
				t.Error("two pages differ")
			}
			tables, captions := strings.Count(once, "<table"), strings.Count(once, "<caption")
			if tables != captions {
				t.Errorf("%d tables have %d captions", tables, captions)
			}
			for i, evil := range hostile {
				t.Run(fmt.Sprint("hostile ", i), func(t *testing.T) {
					changed := hostileReport(small()[name], evil)
					changed.Task = r.Task
					check(t, page(t, changed))
				})
			}
		})
	}
}

// The page is also a description: each plot has its title, and what is said is in it.
func TestPageContents(t *testing.T) {
	for name, want := range map[string][]string{
		"regression": {
			"Prediction of <bdi>SOL</bdi>", "Gradient boosting", `id="predicted-title"`, `id="residuals-title"`, `id="learning-title"`, "<bdi>clogP</bdi>", "1,217",
			"1,000 of 1,217 rows", "the values differ in each record, like identifiers", "the field to predict has no value", "<bdi>constant</bdi>", "learning rate 0.1, max depth 4, max leaves 31, trees 300", "90 % of the values are within ±1.12", "the matrix is not of full rank", "−",
		},
		"classification": {`id="roc-title"`, `id="calibration-title"`, "Confusion matrix", "<td class=\"end right\">330</td>", "Logistic regression", "Coefficient", "−0.00214", "AUC 0.937"},
	} {
		got := page(t, samples()[name])
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("the page of the %s lacks %s", name, w)
			}
		}
	}
}

func TestVerdictFirst(t *testing.T) {
	const refusal = "The model is no better than always predicting the mean: do not use it."
	_, body, _ := strings.Cut(page(t, useless()), "<body>")
	first, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for n := range first.Descendants() {
		if n.Type == html.TextNode {
			words.WriteString(n.Data)
		}
	}
	if !strings.HasPrefix(strings.TrimSpace(words.String()), refusal) {
		t.Errorf("the page begins with %.100s", words.String())
	}
	if got := text(t, useless()); !strings.HasPrefix(got, refusal+"\n") {
		t.Errorf("the text begins with %.100s", got)
	}
	encoded, err := json.Marshal(useless())
	if err != nil || !strings.HasPrefix(string(encoded), `{"verdict":{"better":false,"sentence":"`+refusal) {
		t.Errorf("the JSON begins with %.100s, %v", encoded, err)
	}
}

func TestJudge(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		task                           learn.Task
		metric                         report.Metric
		score, standardError, baseline float64
		better                         bool
		want                           string
	}{
		{learn.Regression, report.RMSE, 0.5, 0.1, 2, true, "The model is better than always predicting the mean: its error (RMSE) is 0.500 instead of 2.00, 75 % less."},
		{learn.Regression, report.RMSE, 1.875, 0.125, 2, false, "The model is no better than always predicting the mean: do not use it."},
		{learn.Regression, report.RMSE, 1.95, 0.1, 2, false, "The model is no better than always predicting the mean: do not use it."},
		{learn.Regression, report.RMSE, 2.5, 0.1, 2, false, "The model is no better than always predicting the mean: do not use it."},
		{learn.Regression, report.RMSE, 1.5, nan, 2, true, "The model is better than always predicting the mean: its error (RMSE) is 1.50 instead of 2.00, 25 % less."},
		{learn.Regression, report.RMSE, nan, nan, 2, false, "The model could not be compared with always predicting the mean: do not use it."},
		{learn.Classification, report.AUC, 0.9, 0.01, 0.5, true, "The model is better than guessing: its AUC is 0.900 instead of 0.500."},
		{learn.Classification, report.AUC, 0.52, 0.03, 0.5, false, "The model is no better than guessing: do not use it."},
		{learn.Classification, report.AUC, 0.3, 0.01, 0.5, false, "The model is no better than guessing: do not use it."},
		{learn.Classification, report.LogLoss, 0.4, 0.01, 0.8, true, "The model is better than guessing: its log loss is 0.400 instead of 0.800, 50 % less."},
	} {
		v := report.Judge(c.task, c.metric, c.score, c.standardError, c.baseline)
		if v.Better != c.better || v.Sentence != c.want {
			t.Errorf("Judge(%v) = %v, %s", c, v.Better, v.Sentence)
		}
	}
}

func TestText(t *testing.T) {
	for name, r := range samples() {
		all := []report.Report{r}
		for _, evil := range hostile {
			changed := hostileReport(small()[name], evil)
			changed.Task = r.Task
			all = append(all, changed)
		}
		for _, r := range all {
			got := text(t, r)
			for line := range strings.Lines(got) {
				n := 0
				for _, c := range strings.TrimSuffix(line, "\n") {
					if n++; width.LookupRune(c).Kind() == width.EastAsianWide {
						n++
					}
				}
				if n > 80 {
					t.Errorf("a line of the %s has %d columns: %s", name, n, line)
				}
			}
			if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Errorf("the text of the %s has control characters: %q", name, got)
			}
		}
	}
	for name, want := range map[string][]string{
		"regression":     {"  * Gradient boosting ", "      learning rate 0.1, max depth 4, max leaves 31, trees 300\n", "  RMSE", "clogP", "Columns left out\n  ID ", "27 molecules"},
		"classification": {"predicted malignant", "coefficient -0.00214", "Balanced accuracy"},
	} {
		got := text(t, samples()[name])
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("the text of the %s lacks %s:\n%s", name, w, got)
			}
		}
	}
}
