package picture

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/assay-project/assay/pkg/extract/microscopy"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
)

const (
	// microscopyName is the key of the metadata of the images in a microscopy file.
	microscopyName   = "microscopy"
	microscopyEngine = "microscopy 1"
	// microscopyMemory is the maximum memory for reading a header, whose size package microscopy limits.
	microscopyMemory = 128 << 20
)

// MicroscopyMetadata returns the step that sets the metadata of generic.Metadata, and of the images in the header
// of a microscopy file. If the header cannot be read, unreadableHeader states the reason.
func MicroscopyMetadata() step.Step {
	s := generic.Metadata()
	run := s.Run
	s.Run = func(ctx context.Context, f *step.File) (step.Result, error) {
		r, err := run(ctx, f)
		if err != nil {
			return r, err
		}
		r.Engine = microscopyEngine
		return r, microscope(ctx, f, r.Metadata)
	}
	return s
}

// microscope adds the header of a microscopy file to the metadata.
func microscope(ctx context.Context, f *step.File, found map[string]any) error {
	release, err := f.Reserve(ctx, microscopyMemory)
	if err != nil {
		return err
	}
	defer release()
	h, err := microscopy.Read(f.ReaderAt(ctx), f.Size)
	switch {
	case errors.Is(err, microscopy.ErrNotMicroscopy):
		return nil
	case errors.Is(err, microscopy.ErrDamaged):
		found["unreadableHeader"] = reason.Of(err)
		return nil
	case err != nil:
		return err
	}
	document, err := json.Marshal(h)
	if err != nil {
		return err
	}
	var plain map[string]any
	if err := json.Unmarshal(document, &plain); err != nil {
		return err
	}
	found[microscopyName] = plain
	return nil
}
