package client

import (
	"context"
	"encoding/json"
)

// RecordSummary describes the values of records.
type RecordSummary struct {
	Records      int               `json:"records"` // without failed ones
	Fields       []FieldStatistics `json:"fields"`
	Groups       []RecordGroup     `json:"groups,omitempty"`       // the largest first
	OtherGroups  int               `json:"otherGroups,omitempty"`  // groups that are not listed
	OtherRecords int               `json:"otherRecords,omitempty"` // records in these groups
}

// RecordGroup describes the records with the same value of a field.
type RecordGroup struct {
	Value   string            `json:"value"`
	Records int               `json:"records"`
	Fields  []FieldStatistics `json:"fields"`
}

// FieldStatistics describe the values of a field or a property. Min, Max, Mean and so on refer to numbers or dates.
type FieldStatistics struct {
	Name              string           `json:"name"`
	Property          bool             `json:"property,omitempty"` // computed by Assay
	Type              string           `json:"type"`               // integer, number, date, boolean or text
	Count             int              `json:"count"`              // records with a value
	Missing           int              `json:"missing"`            // records without a value
	Numbers           int              `json:"numbers,omitempty"`  // values that are numbers
	Distinct          int              `json:"distinct,omitempty"` // different values, or 0 if there are too many
	Min               json.RawMessage  `json:"min,omitempty"`      // a number with all digits, or a text
	Max               json.RawMessage  `json:"max,omitempty"`
	Mean              *float64         `json:"mean,omitempty"`
	StandardDeviation *float64         `json:"standardDeviation,omitempty"` // of the sample
	Histogram         *FieldHistogram  `json:"histogram,omitempty"`
	Values            []FieldFrequency `json:"values,omitempty"` // the most frequent values
}

// FieldHistogram counts values in intervals of equal width between From and To, which are numbers or dates.
type FieldHistogram struct {
	From   json.RawMessage `json:"from"`
	To     json.RawMessage `json:"to"`
	Counts []int           `json:"counts"`
}

// FieldFrequency is a value and the number of records that have it.
type FieldFrequency struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// SummaryQuery selects the records and fields of a summary. The zero value selects all records and the first 50 fields.
type SummaryQuery struct {
	Filter string // such as "logP < 3"
	Fields string // comma-separated names
	Group  string // name of the field by which records are grouped; empty means no groups
}

// SummarizeRecords describes the values of the records of a file.
func (c *Client) SummarizeRecords(ctx context.Context, fileID string, q SummaryQuery) (RecordSummary, error) {
	op := libraryRead(Reading{}, "files", fileID, "records", "summary")
	op.query = RecordQuery{Fields: q.Fields, Filter: q.Filter}.query()
	if q.Group != "" {
		op.query.Set("group", q.Group)
	}
	var s RecordSummary
	err := c.do(ctx, op, &s)
	return s, err
}
