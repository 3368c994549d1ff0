package sqlite

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/assay-project/assay/services/query/search/engine"
)

// numbersOf returns the numbers of the nodes with these ids, as a JSON array. It omits ids that the index does not have.
func numbersOf(ctx context.Context, tx querier, ids []string) (string, error) {
	keys := []string{}
	for _, id := range ids {
		if k, err := engine.KeyOf(id); err == nil {
			keys = append(keys, hex.EncodeToString(k))
		}
	}
	wanted, err := json.Marshal(keys)
	if err != nil {
		return "", err
	}
	var numbers string
	err = tx.QueryRowContext(ctx, "SELECT json_group_array(n.no) FROM json_each(?) AS k CROSS JOIN node AS n ON n.id = unhex(k.value)", string(wanted)).Scan(&numbers)
	return numbers, err
}
