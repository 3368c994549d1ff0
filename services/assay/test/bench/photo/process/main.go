// Command process performs the operations that bench measures on one photo.
//
//	process chain IN OUT        scale to 2,048 pixels, adjust levels, sharpen, encode as JPEG of quality 85
//	process thumbnails IN OUT   create the thumbnails of the library: 1,200, 600 and 300 pixels, JPEG of quality 85
//	process edit PROMPT IN OUT      edit with a prompt
//	process describe PROMPT IN OUT  describe, then edit with a prompt, as a photo job does
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
	"github.com/assay-project/assay/services/assay/test/bench/command"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 3 && len(args) != 4 {
		return errors.New("usage: process chain|thumbnails|edit PROMPT|describe PROMPT IN OUT")
	}
	data, err := os.ReadFile(args[len(args)-2])
	if err != nil {
		return err
	}
	decoder := pixels.NewDecoder(budget.New(1<<30), wasm.Config{})
	if len(args) == 4 {
		return edit(ctx, decoder, args[0] == "describe", args[1], data, args[3])
	}
	p, release, err := decoder.Decode(ctx, data, pixels.Default)
	if err != nil {
		return err
	}
	defer release()
	switch args[0] {
	case "chain":
		p.Fit(2048, 2048)
		p.AutoLevels()
		p.Sharpen(100)
		err = write(p, args[2]+".jpg", 85)
	case "thumbnails":
		err = thumbnails(p, args[2])
	default:
		err = fmt.Errorf("unknown operation %q: must be chain or thumbnails", args[0])
	}
	return err
}

func edit(ctx context.Context, decoder *pixels.Decoder, describe bool, prompt string, data []byte, out string) error {
	studio := photo.New(decoder, photo.Config{Limits: pixels.Default, Faces: true})
	if describe {
		if _, err := studio.Describe(ctx, data, false); err != nil {
			return err
		}
	}
	edited, err := studio.Edit(ctx, data, photo.Request{Prompt: prompt, Format: "jpeg", Quality: 85})
	if err != nil {
		return err
	}
	return os.WriteFile(out+".jpg", edited.Image, 0o644)
}

func thumbnails(p *pixels.Picture, out string) error {
	made, err := picture.Encode(p, pixels.JPEG)
	if err != nil {
		return err
	}
	for _, one := range made {
		if err := os.WriteFile(out+"-"+one.ID+".jpg", one.Body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func write(p *pixels.Picture, path string, quality int) error {
	out, err := p.Encode(pixels.Encoding{Format: pixels.JPEG, Quality: quality})
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o644)
}
