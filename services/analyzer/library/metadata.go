package library

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	// inlineMetadata is the maximum size of the metadata that a step adds to the item of the workflow, in
	// bytes of JSON. Larger metadata is stored as an object.
	inlineMetadata = 2 << 10
	// maxMetadata is the maximum size of a file's metadata in its item, in bytes of JSON.
	maxMetadata = 64 << 10
	// omittedName is the key of the list of metadata names that did not fit.
	omittedName = "omitted"
)

// keep adds the metadata of a step to its result.
func keep(ctx context.Context, f *step.File, r *plan.Result, metadata map[string]any) error {
	if len(metadata) == 0 {
		return nil
	}
	document, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	if len(document) <= inlineMetadata {
		r.Metadata = metadata
		return nil
	}
	r.MetadataKey, err = f.Store(ctx, f.Step+".json", "application/json", document)
	return err
}

// metadata returns the metadata of all steps of a workflow.
func (a *Area) metadata(ctx context.Context, w library.Workflow) (table.Document, error) {
	all := table.Document{}
	for _, name := range slices.Sorted(maps.Keys(w.StepResults)) {
		found := w.StepResults[name].Metadata
		if key := w.StepResults[name].MetadataKey; key != "" {
			document, err := a.bucket.Part(ctx, key, 0, -1)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(document, &found); err != nil {
				return nil, err
			}
		}
		maps.Copy(all, found)
	}
	return all, nil
}

// fitted omits the largest entries until the rest fits into the item of a file, and lists the omitted names. The
// objects stored by the steps still contain these entries. It returns nil if there are no entries.
func fitted(all table.Document) (table.Document, error) {
	if len(all) == 0 {
		return nil, nil
	}
	sizes, total := map[string]int{}, 0
	for name, value := range all {
		document, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		sizes[name] = len(name) + len(document)
		total += sizes[name]
	}
	var omitted []any
	for total > maxMetadata {
		largest := slices.MaxFunc(slices.Sorted(maps.Keys(sizes)), func(a, b string) int { return sizes[a] - sizes[b] })
		total -= sizes[largest]
		delete(sizes, largest)
		delete(all, largest)
		omitted = append(omitted, largest)
	}
	if len(omitted) > 0 {
		all[omittedName] = omitted
	}
	return all, nil
}
