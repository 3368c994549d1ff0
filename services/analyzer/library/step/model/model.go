// Package model contains the steps of models and predictions.
//
// A model has the steps Optimize, Train and Report, in this order. Each of them reads the examples from the records again,
// which takes less time than storing them. A prediction has the step Parse, which determines its chunks, and a step Chunk for
// each of them.
package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// Environment is what the steps need besides their file. It is safe for concurrent use.
type Environment struct {
	// File reads a file, with a strongly consistent read. It returns lifecycle.ErrNotFound if there is none.
	File func(ctx context.Context, id string) (library.File, error)
	// Kit determines the fingerprints of molecules; nil disables them.
	Kit *structure.Kit
}

const (
	jsonType   = "application/json"
	htmlType   = "text/html; charset=utf-8"
	gzipType   = "application/gzip"
	binaryType = "application/octet-stream"
)

// maxRequest is the maximum size of the content of a model or a prediction, in bytes.
const maxRequest = 16 << 20

// request reads the content of a model or a prediction.
func request[R any](ctx context.Context, f *step.File) (R, error) {
	var r R
	content, err := f.Load(ctx, maxRequest)
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read the request: %w", err)
	}
	return r, nil
}

// readJSON reads a result of an earlier step of the run.
func readJSON[V any](ctx context.Context, f *step.File, name string) (V, error) {
	var v V
	document, err := f.ResultPart(ctx, name, 0, -1)
	if err == nil {
		err = json.Unmarshal(document, &v)
	}
	return v, err
}

// storeJSON stores the result of a step.
func storeJSON(ctx context.Context, f *step.File, name string, v any) (key string, err error) {
	document, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return f.Store(ctx, name, jsonType, document)
}
