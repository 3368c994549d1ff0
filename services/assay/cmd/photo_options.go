package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// operations parses the value of --operations.
func operations(value string) (steps []operation.Step, err error) {
	text := []byte(value)
	if path, file := strings.CutPrefix(value, "@"); file {
		if text, err = os.ReadFile(path); err != nil {
			return nil, plain(err)
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&steps); err != nil {
		return nil, fmt.Errorf("--operations: is not a JSON array of operations: %w", err)
	}
	if wrong := operation.Check(steps); len(wrong) > 0 {
		return nil, fmt.Errorf("--operations%s: %s", wrong[0].Field, wrong[0].Message)
	}
	return steps, nil
}

// outputs parses the values of --also: FORMAT, W, WxH, FORMAT:W or FORMAT:WxH.
func outputs(values []string) (all []operation.Output, err error) {
	for _, value := range values {
		format, size, both := strings.Cut(value, ":")
		if !both && value != "" && value[0] >= '0' && value[0] <= '9' {
			format, size = "", value
		}
		o := operation.Output{Format: format}
		if size != "" {
			width, height, two := strings.Cut(size, "x")
			if o.Width, err = strconv.Atoi(width); err == nil && two {
				o.Height, err = strconv.Atoi(height)
			}
		}
		if wrong := o.Check(); err != nil || len(wrong) > 0 {
			return nil, fmt.Errorf("--also: %q is not a format, a size, or both, such as webp:800; formats are %s", value, strings.Join(operation.Formats(), ", "))
		}
		all = append(all, o)
	}
	return all, nil
}
