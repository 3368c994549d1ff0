package engine

import (
	"encoding/json"
	"errors"

	"github.com/assay-project/assay/services/query/search"
)

// PackPlace returns a place as it is stored.
func PackPlace(p search.Place) string {
	if p == (search.Place{}) {
		return ""
	}
	packed, err := json.Marshal(p)
	if err != nil { // never happens: p has numbers and strings
		return ""
	}
	return string(packed)
}

// UnpackPlace returns a stored place.
func UnpackPlace(packed string) (p search.Place, err error) {
	if packed == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(packed), &p); err != nil {
		return p, errors.Join(search.ErrDamaged, err)
	}
	return p, nil
}
