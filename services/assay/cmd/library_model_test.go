package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// yields uploads a table of 60 rows whose yield is twice the temperature plus the time, and whose result is good from a
// temperature of 40.
func (p person) yields() {
	p.Helper()
	var table strings.Builder
	table.WriteString("temperature,time,yield,result\n")
	for i := range 60 {
		temperature, time, result := 20+i*7%40, 1+i*5%24, "bad"
		if temperature >= 40 {
			result = "good"
		}
		fmt.Fprintf(&table, "%d,%d,%d,%s\n", temperature, time, 2*temperature+time, result)
	}
	p.run("library", "put", filepath.Join(localFiles(p.T, map[string]string{"yields.csv": table.String()}), "yields.csv"), "--wait")
}

// model runs `assay library model`.
func (p person) model(args ...string) ran {
	p.Helper()
	return p.run(append([]string{"library", "model"}, args...)...)
}

func TestModelTrain(t *testing.T) {
	p := newPerson(t)
	p.yields()
	got := p.model("train", "/yields.csv", "yield", "--wait")
	lines := strings.SplitAfterN(unique(got.out), "\n", 2)
	if got.status != 0 || lines[0] != "ID  Processed           yield of yields.csv\n" || !strings.HasPrefix(lines[1], "  The model is better than always predicting the mean: ") {
		t.Errorf("train: got %+v, want the model and its verdict", got)
	}
	p.model("train", "/yields.csv", "result", "--name", "Result", "--to", "/Models", "--seed", "7", "--wait", "--json").has(t, 0, `"verdict":{"better":true,`, "")
	p.model("train", "/yields.csv", "colour").want(t, 1, "", `the field "colour" cannot be predicted: the file has no such field`)
	p.model("train", "/Models", "yield").want(t, 1, "", "The node is not a file.")
	p.model("train", "/yields.csv").want(t, 2, "", "See: assay library model train --help")
	heads := "CREATED              ID                                    STATUS              NAME\n"
	lines = []string{"TIME  ID  Processed           Result\n", "TIME  ID  Processed           yield of yields.csv\n"}
	p.model("list").want(t, 0, heads+strings.Join(lines, ""), "")
	p.model("list", "--limit", "1").want(t, 0, heads+lines[0], "There are more; use --all or raise --limit.")
	p.model("list", "--limit", "0").want(t, 2, "", "See: assay library model list --help")
	p.model("list", "--limit", "1", "--all").want(t, 2, "", "See: assay library model list --help")
	if got, want := p.tree("/Models"), "Models/\n└── Result\n0 folders, 1 file\n"; got != want {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}

	few := localFiles(t, map[string]string{"few.csv": "a,b\n1,2\n2,1\n3,3\n"})
	p.run("library", "put", filepath.Join(few, "few.csv"), "--wait")
	got = p.model("train", "/few.csv", "b", "--wait")
	if got.status != 1 || !strings.HasPrefix(unique(got.out), "ID  Failed              b of few.csv  (") || got.errors != "assay: the training failed\n" {
		t.Errorf("train on three rows: got %+v, want status 1 and the reason", got)
	}
	p.model("show", "/b of few.csv").want(t, 1, "", "The training of the model failed: ")
	p.run("library", "retry", "/b of few.csv", "--wait").has(t, 1, "b of few.csv", "the file could not be processed\n")
}

func TestModelShow(t *testing.T) {
	p := newPerson(t)
	p.yields()
	p.model("train", "/yields.csv", "yield", "--name", "Yield", "--wait")
	got := p.model("show", "/Yield")
	if got.status != 0 || !strings.HasPrefix(got.out, "The model is better than always predicting the mean: ") || !strings.Contains(got.out, "\nPrediction of yield\n") {
		t.Errorf("show: got %+v, want the report with the verdict first", got)
	}
	p.model("show", "/Yield", "--json").has(t, 0, `"target":"yield"`, "")
	p.model("show", "/Yield", "--html", "-").has(t, 0, "<title>Model of yield</title>", "")
	path := filepath.Join(t.TempDir(), "report.html")
	p.model("show", "/Yield", "--html", path).want(t, 0, "", "")
	if page, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(page), "<!doctype html>") {
		t.Errorf("wrote %.50q, %v, want the page", page, err)
	}
	p.model("show", "/yields.csv").want(t, 1, "", "The node is not a model.")
}

func TestModelPredict(t *testing.T) {
	p := newPerson(t)
	p.yields()
	p.model("train", "/yields.csv", "yield", "--name", "Yield", "--wait")
	p.model("train", "/yields.csv", "result", "--name", "Result", "--wait")
	got := p.model("predict", "/Yield", "/yields.csv", "--to", "/Out", "--wait", "--limit", "2")
	lines := strings.Split(unique(got.out), "\n")
	if got.status != 0 || len(lines) != 5 || !strings.HasSuffix(lines[0], "yields.csv by Yield") || !strings.Contains(got.errors, "There are 58 more") ||
		strings.Join(strings.Fields(lines[1]), " ") != "RECORD NAME PREDICTION LOW HIGH SIMILARITY INSIDE DOMAIN" || !strings.HasSuffix(lines[2], "yes") {
		t.Errorf("predict: got %+v, want the file and two predictions", got)
	}
	p.run("library", "records", "/Out/yields.csv by Yield", "--filter", "prediction > 0", "--limit", "1").has(t, 0, "prediction=", "60 of 60 records match")
	got = p.model("predict", "/Result", "--record", "temperature=25,time=3,yield=53", "--record", "temperature=55,time=3,yield=113", "--name", "two", "--wait")
	lines = strings.Split(got.out, "\n")
	if got.status != 0 || len(lines) != 5 || !strings.Contains(lines[1], "PROBABILITY") || !strings.HasPrefix(lines[2], "1       temperature=25 time=3 yield=53 ") {
		t.Errorf("predict records: got %+v, want the probabilities of two records", got)
	}
	var one struct {
		SubType string
		Records []client.LibraryRecord
	}
	got = p.model("predict", "/Result", "--record", "temperature=30", "--wait", "--json")
	if err := json.Unmarshal([]byte(got.out), &one); err != nil || one.SubType != "Prediction" || len(one.Records) != 1 {
		t.Errorf("predict --json: got %+v, %v, want a file with one record", got, err)
	}
	p.model("predict", "/yields.csv", "--record", "a=b").want(t, 1, "", "The node is not a model.")
}

func TestModelPredictRecords(t *testing.T) {
	p := newPerson(t)
	p.yields()
	p.model("train", "/yields.csv", "yield", "--name", "Yield", "--wait")
	lines := "{\"temperature\": 30, \"time\": 3}\n\n{\"temperature\": \"40\"}\n"
	dir := localFiles(t, map[string]string{"a.jsonl": lines, "empty": "", "list": "[1]", "nested": `{"temperature": {"value": 3}}`})
	for _, got := range []ran{
		p.model("predict", "/Yield", "--records", filepath.Join(dir, "a.jsonl"), "--name", "two"),
		p.pipe(lines, "library", "model", "predict", "/Yield", "--records", "-", "--name", "two"),
	} {
		if got.status != 0 || got.errors != "" || !strings.HasSuffix(got.out, "  two\n") {
			t.Errorf("predict --records: got %+v, want the new file", got)
		}
	}
	p.run("library", "wait", "/two")
	p.run("library", "records", "/two").has(t, 0, "temperature=40", "")
	p.model("predict", "/Yield", "--records", filepath.Join(dir, "empty")).want(t, 1, "", "empty: has no records\n")
	p.model("predict", "/Yield", "--records", filepath.Join(dir, "list")).want(t, 1, "", "list: record 1 is not a JSON object")
	p.model("predict", "/Yield", "--records", filepath.Join(dir, "missing")).want(t, 1, "", "missing")
	p.model("predict", "/Yield", "--records", filepath.Join(dir, "nested"), "--wait").has(t, 1, "  Failed  ", "assay: the records could not be predicted\n")
	p.pipe(strings.Repeat("{}", 1001), "library", "model", "predict", "/Yield", "--records", "-").want(t, 2, "", "more than 1000 records")
	for _, args := range [][]string{
		{}, {"/yields.csv", "--record", "a=b"}, {"--record", "a=b", "--records", "-"}, {"--record", "a"}, {"--record", "a=\"b"}, {"--record", "a=b\nc=d"}, {"--record", "a=b", "--limit", "0"},
	} {
		p.model(append([]string{"predict", "/Yield"}, args...)...).want(t, 2, "", "See: assay library model predict --help")
	}
}

func TestParsePairs(t *testing.T) {
	got, err := parsePairs(`smiles=C=C,dose=2.5,"name=a, b",code=007,at=-Inf,big=12345678901234567890`)
	want := map[string]any{"smiles": "C=C", "dose": 2.5, "name": "a, b", "code": "007", "at": "-Inf", "big": "12345678901234567890"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
