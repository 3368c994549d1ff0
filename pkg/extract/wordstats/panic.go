package wordstats

import (
	"errors"
	"fmt"
)

// panicError carries a panic from one goroutine to the one that waits for it, so that a panic in a
// goroutine of this package can be recovered by the caller.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprint(e.value) }

// catch calls f and returns a panic as a *panicError.
func catch(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return f()
}

// rethrow panics with the value of a *panicError and does nothing for another error.
func rethrow(err error) {
	if p, ok := errors.AsType[*panicError](err); ok {
		panic(p.value)
	}
}
