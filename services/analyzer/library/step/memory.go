package step

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/bus"
)

const (
	// patience is the maximum time that a step waits for memory. The time counts as time of the attempt.
	patience = 10 * time.Second
	// again is the redelivery delay of a step that found no memory.
	again = 2 * time.Second
)

// errMemory means that other documents use the memory.
var errMemory = errors.New("no memory is free for the document")

// Reserve reserves n bytes of memory for parsing the file. The caller must call release, also before it decodes a picture,
// which reserves memory too. If other steps use the memory for long, the step is redelivered without using an attempt.
func (f *File) Reserve(ctx context.Context, n int64) (release func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, patience, errMemory)
	defer cancel()
	release, err = f.memory.Reserve(waiting, n)
	if errors.Is(err, errMemory) {
		return nil, bus.Later(err, again)
	}
	return release, err
}

// RecordMemory is the maximum memory in bytes for parsing one record or row after another and writing a chunk of them.
// The limits of package records bound it; TestHostileFiles in package hostile measures it.
const RecordMemory = 192 << 20
