// Package dataset makes the examples of a model from the records of a file: the column to predict, and as features the other
// columns of numbers and the fingerprints of molecules. It leaves out what a model must not learn from, such as identifiers
// and copies of the column to predict, and says why.
package dataset

import (
	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// The defaults of Limits, and what a Set needs at least.
const (
	MaxRows   = 100_000
	MaxValues = 24_000_000
	MinRows   = 20 // rows
	MinClass  = 5  // rows of each of two values
)

// Limits bound a Set. If there are more records, those used are sampled.
type Limits struct {
	Rows   int    // 0 means MaxRows
	Values int    // rows × features; 0 means MaxValues
	Seed   uint64 // of the sample
}

// Set contains the examples of a model.
type Set struct {
	Data     learn.Data
	Target   Target
	Features Features
	Records  []int // index of the record of each row, ascending
	// Fingerprints are those of each row; nil if the features contain none.
	Fingerprints []*fingerprint.Fingerprint
	Report       Report
}

// Target is the column that a model predicts.
type Target struct {
	Column Column     `json:"column"`
	Task   learn.Task `json:"task"`
	// Classes are the two values of a classification. The model predicts the probability of the second one.
	Classes []string `json:"classes,omitempty"`
}

// Report says which records and columns a Set contains, and why others are left out.
type Report struct {
	Rows     int            `json:"rows"`
	Excluded map[Reason]int `json:"excludedRecords,omitempty"` // records left out
	Columns  []Excluded     `json:"excludedFields,omitempty"`  // columns left out: those that the plan excludes, then others, in the order of the file
	Replaced int            `json:"replacedValues,omitempty"`  // missing values that the median of their column replaces
	Groups   int            `json:"groups"`                    // rows of different molecules, or with different features
	Remarks  []string       `json:"remarks,omitempty"`
}

// Excluded is a column that is not a feature.
type Excluded struct {
	Name     string `json:"name"`
	Property bool   `json:"property,omitempty"`
	Reason   Reason `json:"reason"`
	Other    string `json:"other,omitempty"` // name of the column that a duplicate equals
}

// Reason says why a record or a column is left out.
type Reason string

// Reasons of records.
const (
	Failed        Reason = "failed"
	NoValue       Reason = "no-value"
	NotNumber     Reason = "not-a-number"
	NoFingerprint Reason = "no-fingerprint"
	NotSampled    Reason = "not-sampled"
)

// Reasons of columns.
const (
	Text       Reason = "text"
	Date       Reason = "date"
	Identifier Reason = "identifier"
	Constant   Reason = "constant"
	Gaps       Reason = "gaps"
	Leakage    Reason = "leakage"
	Duplicate  Reason = "duplicate"
)

// Explanation returns the reason as part of a sentence.
func (r Reason) Explanation() string {
	switch r {
	case Failed:
		return "the record could not be read"
	case NoValue:
		return "the field to predict has no value"
	case NotNumber:
		return "the value of the field to predict is not a number up to 1e100"
	case NoFingerprint:
		return "the record has no molecule that RDKit can read"
	case NotSampled:
		return "the record is not in the sample, because the file has more records than a model learns from"
	case Text:
		return "the values are texts"
	case Date:
		return "the values are dates"
	case Identifier:
		return "the values number or identify the records"
	case Constant:
		return "all values are the same"
	case Gaps:
		return "more than half of the values are missing"
	case Leakage:
		return "the values follow those of the field to predict so closely that they are probably derived from it"
	case Duplicate:
		return "the values are those of another field"
	default:
		return string(r)
	}
}
