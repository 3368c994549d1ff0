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

// tooManyError means that the bound of open uploads is reached.
type tooManyError struct {
	limit, ofOwner int
	owners         bool // that of one owner
}

func (t *tooManyError) Error() string {
	if t.owners {
		return fmt.Sprintf("%d uploads in parts of the owner are open, half of those that are allowed (ASSAY_OPEN_UPLOADS)", t.ofOwner)
	}
	return fmt.Sprintf("%d uploads in parts are open, the most that are allowed (ASSAY_OPEN_UPLOADS)", t.limit)
}

// missingError names the parts that are not stored, or not as the file has them.
type missingError struct{ numbers []int32 }

func (m *missingError) Error() string { return "parts are missing: " + ranges(m.numbers) }

// Refusals are the problems of the calls on an upload, and of reporting that it is done.
var Refusals = web.Refusals{http.StatusConflict: {"upload-not-open", "parts-missing"}}

// Problem returns the problem of an error of this package, and other errors unchanged.
func Problem(err error) error {
	lacks, isMissing := errors.AsType[*missingError](err)
	tooMany, isTooMany := errors.AsType[*tooManyError](err)
	switch {
	case errors.Is(err, blob.ErrNoUpload):
		return web.NewProblem(http.StatusConflict, "upload-not-open",
			"No upload in parts of this file has this uploadId: it ended, expired, or belongs to another file. Repeat the reservation with its Idempotency-Key, or reserve again.").Because(err)
	case isMissing:
		return web.NewProblem(http.StatusConflict, "parts-missing",
			fmt.Sprintf("Parts of the file are missing, or do not have their size: %s. Send them, then report again.", ranges(lacks.numbers))).Because(err)
	case isTooMany && tooMany.owners:
		return web.Unavailable(fmt.Sprintf("%d uploads in parts of this owner are open, the most that this server allows. Complete or delete one, or upload the file in one request.", tooMany.ofOwner), time.Minute).Because(err)
	case isTooMany:
		return web.Unavailable(fmt.Sprintf("%d uploads in parts are open, the most that this server allows. Try again later, or upload the file in one request.", tooMany.limit), time.Minute).Because(err)
	case errors.Is(err, errJoining), errors.Is(err, blob.ErrParts):
		return web.Unavailable("The parts are being joined. Try again shortly.", time.Second).Because(err)
	}
	return err
}

// maxRanges is how many ranges of numbers a problem names.
const maxRanges = 20

// ranges returns ascending numbers as text, such as 1, 4–7.
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
