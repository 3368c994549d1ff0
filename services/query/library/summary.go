package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/web"
)

type summaryInput struct {
	web.IDParam
	ReaderParam
	Filter string `query:"filter" maxLength:"2000" example:"logP<3" doc:"the same as for the list of records"`
	Fields string `query:"fields" maxLength:"10000" example:"weight,logP" doc:"comma-separated names of up to 50 fields and properties; quote a name that contains a comma; default: the first 50"`
	Group  string `query:"group" maxLength:"1000" example:"charge" doc:"name of a field or property; the response also contains the statistics of each group of records with the same value"`
}

type summaryOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         records.Description
}

func (a *Area) summarizeRecords(ctx context.Context, in *summaryInput) (*summaryOutput, error) {
	leave, err := in.Caller.Enter(a.downloads, "downloads")
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := a.records(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	filter, err := f.filter(in.Filter)
	if err != nil {
		return nil, err
	}
	columns, err := f.described(in.Fields)
	if err != nil {
		return nil, err
	}
	out := &summaryOutput{CacheControl: noStore}
	if filter == nil && in.Group == "" {
		found, err := f.stored(ctx, columns, &out.Body)
		if err != nil {
			return nil, problem(err)
		}
		if found {
			return out, nil
		}
	}
	var group *records.Column
	if in.Group != "" {
		c, found := records.Find(in.Group, f.overview.Columns)
		if !found {
			err := &records.UnknownFieldError{Name: in.Group, Columns: f.overview.Columns}
			return nil, web.Invalid(web.FieldError{Field: "query.group", Message: err.Error()})
		}
		group = &c
	}
	err = a.selections.take(ctx, sortingTime, func(ctx context.Context) error {
		indexes, err := f.records.Select(ctx, filter, nil)
		if err == nil {
			out.Body, err = f.records.Describe(ctx, indexes, columns, group)
		}
		return err
	})
	switch {
	case errors.Is(err, errSlow):
		return nil, web.Invalid(web.FieldError{Field: "query.fields", Message: "the file is too large to be described in time; select fewer fields, or try again later"})
	case errors.Is(err, records.ErrGroups):
		return nil, web.Invalid(web.FieldError{Field: "query.group", Message: err.Error()})
	case err != nil:
		return nil, problem(err)
	}
	return out, nil
}

// described returns the columns listed in fields, or the first ones. The error is an HTTP problem.
func (f *recordFile) described(fields string) ([]records.Column, error) {
	if strings.TrimSpace(fields) == "" {
		return f.overview.Columns[:min(len(f.overview.Columns), records.MaxDescribed)], nil
	}
	chosen, err := f.selected(fields, "")
	if err != nil {
		return nil, err
	}
	if len(chosen) > records.MaxDescribed {
		return nil, web.Invalid(web.FieldError{Field: "query.fields", Message: fmt.Sprintf("more than %d fields", records.MaxDescribed)})
	}
	var columns []records.Column
	for _, c := range chosen {
		columns = append(columns, c.Column)
	}
	return columns, nil
}

// stored sets the description of all records of the file from the stored one, and reports whether that contains the
// columns.
func (f *recordFile) stored(ctx context.Context, columns []records.Column, d *records.Description) (found bool, err error) {
	document, err := f.records.Get(ctx, records.SummaryName, 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var all records.Description
	if err := json.Unmarshal(document, &all); err != nil {
		return false, fmt.Errorf("%w: summary: %w", records.ErrDamaged, err)
	}
	d.Records, d.Columns = all.Records, make([]records.Statistics, 0, len(columns))
	for _, c := range columns {
		for _, s := range all.Columns {
			if s.Name == c.Name && s.Property == c.Property {
				d.Columns = append(d.Columns, s)
			}
		}
	}
	return len(d.Columns) == len(columns), nil
}
