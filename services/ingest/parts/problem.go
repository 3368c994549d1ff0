package parts

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/web"
)

// errJoining means that the server is joining the parts.
var errJoining = errors.New("the parts are being joined")

// tooManyError means that the limit of open uploads is reached.
type tooManyError struct {
	limit, ofOwner int
	owners         bool // whether the limit of one owner is reached
}

func (t *tooManyError) Error() string {
	if t.owners {
		return fmt.Sprintf("%d uploads in parts of the owner are open, which is half of the maximum (ASSAY_OPEN_UPLOADS)", t.ofOwner)
	}
	return fmt.Sprintf("%d uploads in parts are open, which is the maximum (ASSAY_OPEN_UPLOADS)", t.limit)
}

// missingError lists the parts that are not stored or whose size differs.
type missingError struct{ numbers []int32 }

func (m *missingError) Error() string { return "parts are missing: " + ranges(m.numbers) }

// Refusals lists the problems of the calls for uploads in parts, including the one that reports an upload as finished.
var Refusals = web.Refusals{http.StatusConflict: {"upload-not-open", "parts-missing"}}

// Problem returns the problem of an error of this package, and other errors unchanged.
func Problem(err error) error {
	missing, isMissing := errors.AsType[*missingError](err)
	tooMany, isTooMany := errors.AsType[*tooManyError](err)
	switch {
	case errors.Is(err, blob.ErrNoUpload):
		return web.NewProblem(http.StatusConflict, "upload-not-open",
			"This file has no upload in parts with this uploadId: it is finished, has expired, or belongs to another file. Repeat the reservation with its Idempotency-Key, or reserve again.").Because(err)
	case isMissing:
		return web.NewProblem(http.StatusConflict, "parts-missing",
			fmt.Sprintf("Parts of the file are missing or have the wrong size: %s. Send them, then report again.", ranges(missing.numbers))).Because(err)
	case isTooMany && tooMany.owners:
		return web.Unavailable(fmt.Sprintf("%d uploads in parts of this owner are open, which is the maximum for one owner. Complete or delete one, or upload the file in one request.", tooMany.ofOwner), time.Minute).Because(err)
	case isTooMany:
		return web.Unavailable(fmt.Sprintf("%d uploads in parts are open, which is the maximum of this server. Try again later, or upload the file in one request.", tooMany.limit), time.Minute).Because(err)
	case errors.Is(err, errJoining), errors.Is(err, blob.ErrParts):
		return web.Unavailable("The parts are being joined. Try again shortly.", time.Second).Because(err)
	}
	return err
}

// maxRanges is the maximum number of ranges listed in a problem.
const maxRanges = 20

// ranges formats ascending numbers as text, for example 1, 4–7.
func ranges(numbers []int32) string {
	var all []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		one := fmt.Sprint(numbers[i])
		if end > i {
			one += fmt.Sprintf("–%d", numbers[end])
		}
		if all = append(all, one); len(all) == maxRanges && end+1 < len(numbers) {
			all = append(all, "…")
			break
		}
		i = end + 1
	}
	return strings.Join(all, ", ")
}
