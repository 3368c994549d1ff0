package pixels

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// remarked is a decoded image with sentences about what decoding lost.
type remarked struct {
	image.Image
	remarks []string
}

// enough is the share of a damaged picture that must be readable without Limits.Tolerant, so that a picture that lacks its
// last bytes is shown, as by other readers, and half of a picture is not.
const enough = 0.95

// errDamaged is the error of a decoder for which another one of the format, which supports damaged files, is tried.
var errDamaged = errors.New("the usual decoder rejected the file")

func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// accept returns a picture of which a share could be read, with a remark if it is not complete.
func (i Info) accept(m image.Image, read float64, remarks []string) (image.Image, error) {
	percent := int(math.Floor(100 * read))
	switch {
	case read >= 1:
	case read >= enough || i.tolerant && read > 0:
		remarks = append(remarks, fmt.Sprintf("the file is damaged or ends early: %d %% of the picture could be read", percent))
	default:
		return nil, ErrUnreadable.With(reason.PictureShare, percent)
	}
	return remarked{m, remarks}, nil
}
