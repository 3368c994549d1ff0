package dynamolite

import (
	"fmt"
	"slices"
	"strings"
)

// constraints collects violations of the request's declared shape, which
// DynamoDB reports together and before anything else.
type constraints struct {
	violations []string
	// inside returns the path of the structure whose fields are checked, with a dot at
	// the end. It is nil for the request itself.
	inside func() string
}

func (c *constraints) add(value, field, constraint string) {
	if c.inside != nil {
		field = c.inside() + field
	}
	c.violations = append(c.violations, fmt.Sprintf("Value %s at '%s' failed to satisfy constraint: %s", value, field, constraint))
}

func (c *constraints) err() error {
	switch n := len(c.violations); n {
	case 0:
		return nil
	case 1:
		return invalid("1 validation error detected: " + c.violations[0])
	default:
		return invalid(fmt.Sprintf("%d validation errors detected: %s", n, strings.Join(c.violations, "; ")))
	}
}

// notInNames reports whether the character is not allowed in names of tables and
// indexes.
func notInNames(r rune) bool {
	return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
}

// tableName checks the name of an existing table; nil is a missing parameter.
func (c *constraints) tableName(name *string) { c.name("tableName", name, 1) }

// name checks the name of a table or an index, which must have at least shortest
// characters.
func (c *constraints) name(field string, name *string, shortest int) {
	if name == nil {
		c.add("null", field, "Member must not be null")
		return
	}
	switch n := len(*name); {
	case n < shortest:
		c.add("'"+*name+"'", field, fmt.Sprintf("Member must have length greater than or equal to %d", shortest))
	case n > 255:
		c.add("'"+*name+"'", field, "Member must have length less than or equal to 255")
	case strings.ContainsFunc(*name, notInNames):
		c.add("'"+*name+"'", field, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
}

func (c *constraints) required(field string, present bool) {
	if !present {
		c.add("null", field, "Member must not be null")
	}
}

// enum checks that value is one of the allowed values, or empty, which means
// absent.
func (c *constraints) enum(field, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.add("'"+value+"'", field, "Member must satisfy enum value set: ["+strings.Join(allowed, ", ")+"]")
	}
}

func (c *constraints) returnConsumedCapacity(value string) {
	c.enum("returnConsumedCapacity", value, "INDEXES", "TOTAL", "NONE")
}

func (c *constraints) returnItemCollectionMetrics(value string) {
	c.enum("returnItemCollectionMetrics", value, "SIZE", "NONE")
}

func (c *constraints) returnValues(value string) {
	c.enum("returnValues", value, "ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
}

func (c *constraints) returnValuesOnConditionCheckFailure(value string) {
	c.enum("returnValuesOnConditionCheckFailure", value, "ALL_OLD", "NONE")
}

// length checks the number of elements of a list; describe renders the list for
// the message.
func (c *constraints) length(field string, n, least, most int, describe func() string) {
	switch {
	case n < least:
		c.add("'[]'", field, fmt.Sprintf("Member must have length greater than or equal to %d", least))
	case n > most:
		c.add("'"+describe()+"'", field, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
}
