package dynamolite

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// labelKey is the key of the label in formatBucket.
var labelKey = []byte("label")

// Label returns the text that SetLabel has stored in the file, or "" if there is none. It identifies the
// file to programs that store related data elsewhere.
func (e *Engine) Label() (label string, err error) {
	err = e.read(func(tx *bbolt.Tx) error {
		stored := tx.Bucket(formatBucket).Get(labelKey)
		if stored == nil {
			return nil
		}
		value, err := unseal(labelKey, stored)
		label = string(value)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("dynamolite: label: %w", err)
	}
	return label, nil
}

// SetLabel stores a text in the file, and returns when it is durable.
func (e *Engine) SetLabel(label string) error {
	return e.write(func(w *writeTx) error { return w.put(formatBucket, labelKey, []byte(label)) })
}
