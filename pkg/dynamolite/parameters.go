package dynamolite

import (
	"encoding/json"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
)

// placeholders are the parameters that expressions refer to.
type placeholders struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues attr.Item
}

// expression is an expression parameter with its name for error messages.
type expression struct {
	parameter string
	text      *string
}

// scope checks the placeholders of a request against its expressions, and returns
// their scope.
func (p placeholders) scope(expressions ...expression) (*expr.Scope, error) {
	var missing []string
	for _, x := range expressions {
		if x.text == nil {
			missing = append(missing, x.parameter)
		}
	}
	if len(missing) == len(expressions) {
		parameter := ""
		switch {
		case p.ExpressionAttributeNames != nil:
			parameter = "ExpressionAttributeNames"
		case p.ExpressionAttributeValues != nil:
			parameter = "ExpressionAttributeValues"
		}
		if parameter != "" {
			verb := " is null"
			if len(missing) > 1 {
				verb = " are null"
			}
			return nil, invalid(parameter + " can only be specified when using expressions: " + strings.Join(missing, " and ") + verb)
		}
	}
	return expr.NewScope(p.ExpressionAttributeNames, p.ExpressionAttributeValues)
}

// condition parses an optional condition. If text is nil, the condition always holds.
func condition(scope *expr.Scope, kind expr.Kind, text *string) (expr.Condition, error) {
	if text == nil {
		return expr.Condition{}, nil
	}
	return expr.ParseCondition(scope, kind, *text)
}

// legacy are the parameters that expressions replaced. They are not supported, but decoded so that a
// request with one of them is rejected rather than misinterpreted.
type legacy struct {
	AttributesToGet, AttributeUpdates, ConditionalOperator, Expected, KeyConditions, QueryFilter, ScanFilter json.RawMessage
}

func (l legacy) check(expressions ...expression) error {
	var old, used []string
	for _, p := range []struct {
		name  string
		given json.RawMessage
	}{
		{"AttributesToGet", l.AttributesToGet}, {"AttributeUpdates", l.AttributeUpdates}, {"QueryFilter", l.QueryFilter},
		{"ScanFilter", l.ScanFilter}, {"KeyConditions", l.KeyConditions}, {"ConditionalOperator", l.ConditionalOperator}, {"Expected", l.Expected},
	} {
		if p.given != nil && string(p.given) != "null" {
			old = append(old, p.name)
		}
	}
	if old == nil {
		return nil
	}
	for _, x := range expressions {
		if x.text != nil {
			used = append(used, x.parameter)
		}
	}
	if used == nil {
		return invalid("The legacy parameters are not supported: {" + strings.Join(old, ", ") + "}")
	}
	return invalid("Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {" + strings.Join(old, ", ") + "} Expression parameters: {" + strings.Join(used, ", ") + "}")
}
