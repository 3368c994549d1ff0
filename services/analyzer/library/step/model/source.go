package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
)

// source is a file whose records a step reads.
type source struct {
	file     library.File
	index    records.Index
	overview records.Overview
	results  *step.File
	kit      *structure.Kit // nil if the records have no molecules, or if fingerprints are not available
	format   records.Format // zero for tables
}

// open opens the records of a file. If run is not 0, they must be those of this run.
func (e Environment) open(ctx context.Context, f *step.File, id string, run int64) (*source, error) {
	file, err := e.File(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) || err == nil && file.Erasing():
		return nil, reason.SourceGone
	case err != nil:
		return nil, err
	case run != 0 && file.Run != run || !file.Final():
		return nil, reason.SourceChanged
	}
	opened := &source{file: file, results: f.Other(file.ID, file.Run)}
	document, err := opened.read(ctx, records.IndexName)
	if err == nil {
		opened.index, err = records.ParseIndex(document)
	}
	if err != nil {
		return nil, err
	}
	if document, err = opened.read(ctx, records.OverviewName); err == nil {
		opened.overview, err = records.ParseOverview(document)
	}
	if err != nil {
		return nil, err
	}
	opened.format, _ = extract.FindRecordFormat(opened.index.Format)
	if opened.molecules() {
		opened.kit = e.Kit
	}
	return opened, nil
}

// molecules reports whether the records are molecules, or rows with molecules.
func (s *source) molecules() bool {
	isSMILES := func(c records.Column) bool { return c.Property && c.Name == structure.InChIKey }
	return structure.Applies(s.index.Format) || slices.ContainsFunc(s.overview.Columns, isSMILES)
}

// read reads a result of the file.
func (s *source) read(ctx context.Context, name string) ([]byte, error) {
	document, err := s.results.ResultPart(ctx, name, 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, reason.SourceChanged
	}
	return document, err
}

// records returns the records of the file.
func (s *source) records() *records.File {
	get := func(ctx context.Context, name string, offset, length int64) ([]byte, error) {
		part, err := s.results.ResultPart(ctx, name, offset, length)
		if errors.Is(err, blob.ErrNotFound) {
			err = reason.SourceChanged
		}
		return part, err
	}
	return &records.File{Get: get, Total: s.overview.Total(), Starts: s.overview.Starts, Columns: s.overview.Columns}
}

// fingerprintsName is the name of the result with the fingerprints of a chunk of records. The first step that needs them
// stores them with the file, for all models and predictions.
func fingerprintsName(chunk int) string { return fmt.Sprintf("records/%05d.fingerprints", chunk) }

// fingerprints returns the fingerprints of the records of a chunk. It determines and stores them, unless another step has.
func (s *source) fingerprints(ctx context.Context, chunk int) ([]*fingerprint.Fingerprint, error) {
	stored, err := s.results.ResultPart(ctx, fingerprintsName(chunk), 0, -1)
	if err == nil {
		c, err := fingerprint.Decode(stored)
		if err == nil && c.Engine == structure.Version {
			return c.All, nil
		}
		if err != nil && !errors.Is(err, fingerprint.ErrDamaged) {
			return nil, err
		}
	} else if !errors.Is(err, blob.ErrNotFound) {
		return nil, err
	}
	all, err := s.determine(ctx, chunk)
	if err != nil {
		return nil, err
	}
	document, err := fingerprint.Chunk{Engine: structure.Version, All: all}.Encode()
	if err != nil {
		return nil, err
	}
	_, err = s.results.Store(ctx, fingerprintsName(chunk), "application/octet-stream", document)
	return all, err
}

// determine determines the fingerprints of the records of a chunk.
func (s *source) determine(ctx context.Context, chunk int) (all []*fingerprint.Fingerprint, err error) {
	if err := record.Prepared(ctx, s.kit); err != nil {
		return nil, err
	}
	session, err := s.kit.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for r, err := range s.records().Chunk(ctx, chunk) {
		if err != nil {
			return nil, err
		}
		one, err := session.Fingerprint(s.format, r)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// sequence returns the fingerprints of all records, or nil if there are none.
func (s *source) sequence() func(ctx context.Context, index int) (*fingerprint.Fingerprint, error) {
	if s.kit == nil {
		return nil
	}
	return (&fingerprint.Sequence{Get: func(ctx context.Context, chunk int) (fingerprint.Chunk, error) {
		if chunk >= s.index.Chunks() {
			return fingerprint.Chunk{}, reason.SourceChanged
		}
		all, err := s.fingerprints(ctx, chunk)
		return fingerprint.Chunk{Engine: structure.Version, All: all}, err
	}}).At
}
