package records

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

var filterColumns = []Column{{Name: "logP"}, {Name: "Melting Point"}, {Name: "CAS"}, {Name: "made"}, {Name: "weight", Property: true}, {Name: "formula", Property: true}}

func TestFilters(t *testing.T) {
	r := Record{Name: "Benzoic Acid", Fields: Fields{{"logP", "1.87"}, {"Melting Point", "122"}, {"CAS", "0065"}, {"made", "2024-05-31"}, {"pure", "TRUE"}, {"dry", " True "}, {"T", "293(2)"}},
		Properties: Properties{{"weight", 122.12}, {"formula", "C7H6O2"}}}
	for text, want := range map[string]bool{
		"logP<3":                            true,
		"logP < 1.87":                       false,
		"logP<=1.87":                        true,
		"logP>-1e1":                         true,
		"LOGP = 1.870":                      true,
		"logP != 1.87":                      false,
		"logP != 2":                         true,
		`logP = "1.87"`:                     true,
		`logP = "1.870"`:                    false,
		`"Melting Point" >= 122`:            true,
		"CAS = 0065":                        true,
		"CAS = 65":                          false, // 0065 is a code, not a number
		"CAS = '65'":                        false,
		"made < 2024-06-01":                 true,
		"made > '2024-05-31T00:00:01Z'":     false,
		"name ~ acid":                       true,
		"name !~ acid":                      false,
		"error":                             false,
		"not error":                         true,
		"weight > 100 and logP > 3":         false,
		"weight > 100 or logP > 3":          true,
		"weight > 200 or logP<3 and CAS":    true,
		"(weight>200 or logP<3) && !CAS":    false,
		"not (weight>200) and not not logP": true,
		"formula == C7H6O2":                 true,
		"formula <> C7H6O2":                 false,
		"formula < 3":                       false,
		"name != 3":                         true,
		"error != x":                        false,
		"pure = true":                       true,
		"pure = True":                       true,
		"pure != true":                      false,
		"pure = false":                      false,
		"dry = true":                        true,
		"dry != true":                       false,
		"T > 200":                           true,
		"T = 293":                           true,
		"T > 293":                           false,
	} {
		f, err := ParseFilter(text, append(slices.Clone(filterColumns), Column{Name: "pure"}, Column{Name: "dry"}, Column{Name: "T"}))
		if err != nil {
			t.Errorf("%s: got error %v, want none", text, err)
		} else if got := f.match(&r); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "character 1: expected the name of a field",
		"logP<":            "character 6: expected a value after <",
		"logP<<3":          "character 6: expected a value after <",
		"logD<3":           `character 1: there is no field "logD"; did you mean "logP"?`,
		"boiling<3":        `character 1: there is no field "boiling"; the fields are logP, Melting Point, CAS, made, weight, formula`,
		"logP<3 weight>2":  `character 8: expected and, or, or the end, not "weight"`,
		"logP<3 and":       "character 11: expected the name of a field",
		"(logP<3":          "character 8: expected )",
		"name < benzene":   `character 8: < needs a number or a date like 2024-05-31, not "benzene"; compare text with =, != or ~`,
		"name = 'x":        "character 8: no closing '",
		"logP<3 & weight":  "character 8: expected &&",
		"and":              `character 1: expected the name of a field, not "and"`,
		"logP<3)":          `character 7: expected and, or, or the end, not ")"`,
		"logP = (3)":       "character 8: expected a value after =",
		"\x00":             "character 1: there is no field",
		"Melting Point>10": `character 1: there is no field "Melting"`,
	} {
		_, err := ParseFilter(text, filterColumns)
		var wrong *FilterError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %s", text, err, want)
		}
	}
	for _, long := range []string{strings.Repeat("(", 1_000), strings.Repeat("not ", 499), strings.Repeat("x", MaxFilter+1)} {
		if _, err := ParseFilter(long, filterColumns); err == nil {
			t.Errorf("%.10s…: got no error, want one", long)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{"logP<3", `("Melting Point" >= 1e3 or not CAS) && name ~ 'a'`, "made>2024-01-01", "((((", "a=\""} {
		f.Add(seed)
	}
	r := Record{Name: "n", Fields: Fields{{"logP", "1"}, {"made", "2024-01-01"}}}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ParseFilter(text, filterColumns)
		if err != nil {
			var wrong *FilterError
			if !errors.As(err, &wrong) || wrong.At < 0 || wrong.At > len(text) {
				t.Errorf("%q: got error %v, want a FilterError with an offset in the text", text, err)
			}
			return
		}
		filter.match(&r)
		if filter.String() != text {
			t.Errorf("String() = %q, want %q", filter, text)
		}
	})
}
