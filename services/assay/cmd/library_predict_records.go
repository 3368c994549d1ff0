package cmd

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/library"
)

// recordFlags are the flags that state records to predict.
type recordFlags struct {
	each []string // a record each, as pairs of a field and its value
	path string   // of a local file with JSON Lines, or -
}

// check rejects a command without records, or with records from several sources. file reports whether it names a file.
func (f recordFlags) check(file bool) error {
	sources := 0
	for _, given := range []bool{file, len(f.each) > 0, f.path != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return usage("specify either a FILE, --record or --records")
	}
	if len(f.each) > library.MaxPredicted {
		return tooManyRecords()
	}
	for _, text := range f.each {
		if _, err := parsePairs(text); err != nil {
			return err
		}
	}
	return nil
}

// tooManyRecords returns the error for more records than a request may have.
func tooManyRecords() error {
	return usage("more than %d records: upload them as a file, and predict that", library.MaxPredicted)
}

// read returns the records. It reads the standard input if the path is -.
func (f recordFlags) read(stdin io.Reader) (records []map[string]any, err error) {
	if f.path == "" {
		for _, text := range f.each {
			record, err := parsePairs(text)
			if err != nil {
				return nil, err
			}
			records = append(records, record)
		}
		return records, nil
	}
	from := stdin
	if f.path != "-" {
		file, err := os.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // opened for reading only
		from = file
	}
	return parseLines(f.path, from)
}

// parseLines parses JSON objects, usually one in each line.
func parseLines(path string, from io.Reader) (records []map[string]any, err error) {
	d := json.NewDecoder(from)
	d.UseNumber() // keeps all digits
	for {
		var record map[string]any
		err := d.Decode(&record)
		switch {
		case errors.Is(err, io.EOF) && len(records) == 0:
			return nil, fmt.Errorf("%s: has no records", path)
		case errors.Is(err, io.EOF):
			return records, nil
		case err != nil:
			return nil, fmt.Errorf("%s: record %d is not a JSON object: %w", path, len(records)+1, err)
		case len(records) == library.MaxPredicted:
			return nil, tooManyRecords()
		}
		records = append(records, record)
	}
}

// parsePairs parses a record such as smiles=CCO,dose=2.
func parsePairs(text string) (map[string]any, error) {
	r := csv.NewReader(strings.NewReader(text))
	lines, err := r.ReadAll()
	if err != nil {
		return nil, usage("--record %q: %w", text, err)
	}
	if len(lines) != 1 {
		return nil, usage("--record %q: must be one line of pairs such as smiles=CCO", text)
	}
	record := map[string]any{}
	for _, pair := range lines[0] {
		name, value, found := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, usage("--record %q: must be pairs such as smiles=CCO", text)
		}
		record[name] = parseValue(value)
	}
	return record, nil
}

// parseValue returns the number that a text stands for if that is written exactly so, or else the text.
func parseValue(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) && strconv.FormatFloat(v, 'f', -1, 64) == text {
		return v // JSON has no infinities
	}
	return text
}
