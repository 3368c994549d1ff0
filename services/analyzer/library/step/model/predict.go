package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/learn/trained"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
)

// predictionTime bounds an attempt at the records of a chunk, or of a request. Determining the fingerprints of 1,000 molecules
// takes seconds, and predicting them less than one.
const predictionTime = 5 * time.Minute

// Predictions contains the steps of predictions. They share the model that was used last. It is safe for concurrent use.
type Predictions struct {
	Environment

	mu   sync.Mutex
	last library.Trained
	kept *trained.Model
}

// model returns the model of a prediction.
func (p *Predictions) model(ctx context.Context, f *step.File, t library.Trained) (*trained.Model, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept != nil && p.last.ModelID == t.ModelID && p.last.Version == t.Version {
		return p.kept, nil
	}
	m, err := load(ctx, f, t.ModelID, t.Version)
	if err == nil {
		p.last, p.kept = t, m
	}
	return m, err
}

// Parse returns the step that pins the version of the model and the run of the file, and determines the chunks. It predicts
// the records of a request itself.
func (p *Predictions) Parse() step.Step {
	return step.Step{Time: predictionTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		asked, err := request[library.PredictionRequest](ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		origin, err := p.File(ctx, asked.ModelID)
		switch {
		case errors.Is(err, lifecycle.ErrNotFound) || err == nil && origin.Erasing():
			return step.Result{}, reason.ModelGone
		case err != nil:
			return step.Result{}, err
		case origin.Status != library.Processed && origin.Status != library.ProcessedPartially:
			return step.Result{}, reason.ModelChanged
		}
		t := library.Trained{ModelID: origin.ID, Name: origin.Name, Version: origin.Run}
		m, err := p.model(ctx, f, t)
		if err != nil {
			return step.Result{}, err
		}
		t.Column = m.Target.Column.Name
		var x records.Index
		if asked.FileID == "" {
			x, err = p.ofRequest(ctx, f, m, asked.Records)
		} else {
			x, err = p.ofFile(ctx, f, m, &t, asked.FileID)
		}
		if err != nil {
			return step.Result{}, err
		}
		if _, err := storeJSON(ctx, f, library.TrainedName, t); err != nil {
			return step.Result{}, err
		}
		r, err := record.StoreIndex(ctx, f, x)
		r.Chunks, r.Engine = 0, engine
		if asked.FileID != "" {
			r.Chunks = x.Chunks()
		}
		by := map[string]any{"modelId": t.ModelID, "modelName": t.Name, "modelVersion": t.Version, "column": t.Column}
		if t.FileID != "" {
			by["fileId"], by["fileName"], by["fileVersion"] = t.FileID, t.FileName, t.FileRun
		}
		r.Metadata = map[string]any{"trained": by}
		return r, err
	}}
}

// ofFile returns the index of the records of a file.
func (p *Predictions) ofFile(ctx context.Context, f *step.File, m *trained.Model, t *library.Trained, id string) (records.Index, error) {
	s, err := p.open(ctx, f, id, 0)
	if err != nil {
		return records.Index{}, err
	}
	t.FileID, t.FileName, t.FileRun = s.file.ID, s.file.Name, s.file.Run
	_, lacking := m.Features.For(s.overview.Columns)
	if err := suits(m, lacking, s.kit != nil); err != nil {
		return records.Index{}, err
	}
	x := s.index
	x.Remarks = append(slices.Clone(x.Remarks), lack(lacking)...)
	return x, nil
}

// suits returns why a model cannot predict records that lack columns, or nil. structures states whether their fingerprints
// are available.
func suits(m *trained.Model, lacking []string, structures bool) error {
	switch {
	case len(m.Features.Bits) > 0 && !structures:
		return reason.NoStructures
	case len(m.Features.Bits) == 0 && len(lacking) == len(m.Features.Columns):
		return reason.NoFeatures.Fill(strings.Join(lacking[:min(len(lacking), 10)], ", "))
	}
	return nil
}

// lack returns the remark about columns of the model that records lack.
func lack(columns []string) []string {
	if len(columns) == 0 {
		return nil
	}
	const most = 10
	names := strings.Join(columns[:min(len(columns), most)], ", ")
	if len(columns) > most {
		names += " and others"
	}
	return []string{"the model uses columns that the records do not have, and takes the median of its examples instead: " + names}
}

// ofRequest predicts the records of a request, and stores them.
func (p *Predictions) ofRequest(ctx context.Context, f *step.File, m *trained.Model, asked []json.RawMessage) (x records.Index, err error) {
	all := make([]records.Record, len(asked))
	var summary records.Summary
	molecules := record.Molecules{Kit: p.Kit}
	defer func() { err = errors.Join(err, molecules.Close()) }()
	for i, document := range asked {
		if all[i], err = recordOf(document); err != nil {
			return x, err
		}
		if err := molecules.Identify(ctx, &all[i]); err != nil {
			return x, err
		}
		summary.Add(&all[i])
	}
	columns, remarks := summary.Describe("", "")
	features := m.Features.Plain()
	_, lacking := m.Features.For(columns)
	if err := suits(m, lacking, p.Kit != nil); err != nil {
		return x, err
	}
	i := 0
	rows, err := records.WriteChunks(ctx, func() (records.Record, error) {
		if i == len(all) {
			return records.Record{}, io.EOF
		}
		r := all[i]
		i++
		var structure *fingerprint.Fingerprint
		if len(m.Features.Bits) > 0 {
			if structure, err = molecules.Fingerprint(&r); err != nil {
				return r, err
			}
		}
		m.Predict(features, &r, structure)
		return r, nil
	}, func(chunk int, lines, columns []byte) error { return record.StoreChunk(ctx, f, chunk, lines, columns) })
	return records.Index{Format: "csv", Found: rows.Found, Starts: rows.Starts, Remarks: append(remarks, lack(lacking)...)}, err
}

// recordOf returns the record of a JSON object.
func recordOf(document json.RawMessage) (records.Record, error) {
	var r records.Record
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil { // the brace
		return r, fmt.Errorf("read a record of the request: %w", err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return r, fmt.Errorf("read a record of the request: %w", err)
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return r, fmt.Errorf("read a record of the request: %w", err)
		}
		switch value := value.(type) {
		case nil:
		case string:
			r.Fields.Set(name.(string), value)
		case json.Number, bool:
			r.Fields.Set(name.(string), fmt.Sprint(value))
		default:
			return r, reason.NotPlainValue.Fill(name)
		}
	}
	return r, nil
}

// Chunk returns the step that predicts the records of a chunk of a file.
func (p *Predictions) Chunk() step.Step {
	return step.Step{Time: predictionTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		t, err := readJSON[library.Trained](ctx, f, library.TrainedName)
		if err != nil {
			return step.Result{}, err
		}
		m, err := p.model(ctx, f, t)
		if err != nil {
			return step.Result{}, err
		}
		s, err := p.open(ctx, f, t.FileID, t.FileRun)
		if err != nil {
			return step.Result{}, err
		}
		chunk, ok := library.ParseChunkStep(f.Step)
		if !ok || chunk >= s.index.Chunks() {
			return step.Result{}, reason.NoChunk.Fill(f.Step)
		}
		var structures []*fingerprint.Fingerprint
		if len(m.Features.Bits) > 0 {
			if structures, err = s.fingerprints(ctx, chunk); err != nil {
				return step.Result{}, err
			}
		}
		var columns bytes.Buffer
		key, err := f.Stream(ctx, records.LinesName(chunk), gzipType, func(lines io.Writer) error {
			columns.Reset()
			return predict(ctx, m, s, chunk, structures, lines, &columns)
		})
		if err != nil {
			return step.Result{}, err
		}
		_, err = f.Store(ctx, records.ColumnsName(chunk), binaryType, columns.Bytes())
		return step.Result{Engine: engine, Key: key}, err
	}}
}

// predict writes the records of a chunk with their predictions.
func predict(ctx context.Context, m *trained.Model, s *source, chunk int, structures []*fingerprint.Fingerprint, lines, columns io.Writer) error {
	features, _ := m.Features.For(s.overview.Columns)
	w, err := records.NewChunkWriter(lines, chunk, s.index.Start(chunk))
	if err != nil {
		return err
	}
	i := 0
	for r, err := range s.records().Chunk(ctx, chunk) {
		if err != nil {
			return err
		}
		var structure *fingerprint.Fingerprint
		if i < len(structures) {
			structure = structures[i]
		}
		i++
		if !r.Failed() {
			m.Predict(features, r, structure)
		}
		if err := w.Add(r); err != nil {
			return err
		}
	}
	return w.Close(columns)
}
