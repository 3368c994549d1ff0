package dynamolite

import "github.com/assay-project/assay/pkg/dynamolite/attr"

// Units of capacity, in bytes (DynamoDB Developer Guide, "Read and write
// operations"). They are reported on request, and never enforced.
const (
	readUnit  = 4096
	writeUnit = 1024
)

type capacity struct{ CapacityUnits float64 }

type consumedCapacity struct {
	TableName              string
	CapacityUnits          float64
	Table                  *capacity           `json:",omitempty"`
	GlobalSecondaryIndexes map[string]capacity `json:",omitempty"`
	LocalSecondaryIndexes  map[string]capacity `json:",omitempty"`
}

type itemCollectionMetrics struct {
	ItemCollectionKey   attr.Item
	SizeEstimateRangeGB [2]float64
}

// readUnits returns the cost of reading size bytes.
func readUnits(size int, consistent bool) float64 {
	units := float64(max(1, (size+readUnit-1)/readUnit))
	if !consistent {
		units /= 2
	}
	return units
}

// writeUnits returns the cost of replacing one item with another.
func writeUnits(before, after attr.Item) float64 {
	return float64(max(1, (max(attr.Size(before), attr.Size(after))+writeUnit-1)/writeUnit))
}

// consumed returns the consumed capacity if ReturnConsumedCapacity requests
// it; ix is the index that was read, or nil for the table.
func consumed(mode string, t *table, ix *index, units float64) *consumedCapacity {
	if mode != "TOTAL" && mode != "INDEXES" {
		return nil
	}
	c := &consumedCapacity{TableName: t.Name, CapacityUnits: units}
	if mode == "TOTAL" {
		return c
	}
	switch {
	case ix == nil:
		c.Table = &capacity{units}
	case ix.Local:
		c.Table = &capacity{}
		c.LocalSecondaryIndexes = map[string]capacity{ix.Name: {units}}
	default:
		c.Table = &capacity{}
		c.GlobalSecondaryIndexes = map[string]capacity{ix.Name: {units}}
	}
	return c
}

// consumedByWrite returns the consumed capacity of a write if ReturnConsumedCapacity
// requests it. Each index whose entry is added, removed or changed costs as much as
// the table, and twice that if the entry moves.
func consumedByWrite(mode string, t *table, before, after attr.Item, factor float64) *consumedCapacity {
	if mode != "TOTAL" && mode != "INDEXES" {
		return nil
	}
	units := factor * writeUnits(before, after)
	c := consumed(mode, t, nil, units)
	for _, ix := range t.Indexes {
		from, to := ix.entry(before, nil), ix.entry(after, nil)
		units := units
		switch {
		case string(from) != string(to) && from != nil && to != nil:
			units *= 2
		case string(from) == string(to) && (from == nil || ix.project(t, before).Equal(ix.project(t, after))):
			continue
		}
		c.CapacityUnits += units
		if mode == "TOTAL" {
			continue
		}
		list := &c.GlobalSecondaryIndexes
		if ix.Local {
			list = &c.LocalSecondaryIndexes
		}
		if *list == nil {
			*list = map[string]capacity{}
		}
		(*list)[ix.Name] = capacity{units}
	}
	return c
}

// add adds the cost of another part of the same request on the same table.
func (c *consumedCapacity) add(other *consumedCapacity) {
	c.CapacityUnits += other.CapacityUnits
	if c.Table != nil && other.Table != nil {
		c.Table.CapacityUnits += other.Table.CapacityUnits
	}
	for _, lists := range [][2]map[string]capacity{{c.GlobalSecondaryIndexes, other.GlobalSecondaryIndexes}, {c.LocalSecondaryIndexes, other.LocalSecondaryIndexes}} {
		for name, units := range lists[1] {
			if lists[0] != nil {
				lists[0][name] = capacity{lists[0][name].CapacityUnits + units.CapacityUnits}
			}
		}
	}
}

// metrics returns the item collection metrics if ReturnItemCollectionMetrics
// requests them. They exist for tables with local secondary indexes only. The
// estimate is the one that DynamoDB returns for small collections.
func metrics(mode string, t *table, key attr.Item) *itemCollectionMetrics {
	if mode != "SIZE" {
		return nil
	}
	for _, ix := range t.Indexes {
		if ix.Local {
			return &itemCollectionMetrics{attr.Item{{Name: t.Key.Hash.Name, Value: key.Of(t.Key.Hash.Name)}}, [2]float64{0, 1}}
		}
	}
	return nil
}
