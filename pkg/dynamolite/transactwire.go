package dynamolite

import (
	"errors"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// errUnusual says that a request must be read by reflection, as all others are: it has
// a member that no SDK writes, or twice one that reflection would put together.
var errUnusual = errors.New("dynamolite: unusual request")

func (in *transactWriteItemsInput) read(body []byte) bool {
	var out transactWriteItemsInput
	r := attr.NewReader(body)
	err := r.Object(func(name string) error {
		switch name {
		case "TransactItems":
			if out.TransactItems != nil {
				return errUnusual
			}
			out.TransactItems = []transactItem{}
			return r.Array(func() error {
				var item transactItem
				err := item.read(r)
				out.TransactItems = append(out.TransactItems, item)
				return err
			})
		case "ClientRequestToken":
			return readText(r, &out.ClientRequestToken)
		case "ReturnConsumedCapacity":
			return readText(r, &out.ReturnConsumedCapacity)
		case "ReturnItemCollectionMetrics":
			return readText(r, &out.ReturnItemCollectionMetrics)
		}
		return errUnusual
	})
	if err != nil || !r.Ended() {
		return false
	}
	*in = out
	return true
}

func (i *transactItem) read(r *attr.Reader) error {
	return r.Object(func(name string) error {
		var x **transactAction
		switch name {
		case "ConditionCheck":
			x = &i.ConditionCheck
		case "Put":
			x = &i.Put
		case "Delete":
			x = &i.Delete
		case "Update":
			x = &i.Update
		}
		if x == nil || *x != nil {
			return errUnusual
		}
		*x = new(transactAction)
		return (*x).read(r)
	})
}

func (x *transactAction) read(r *attr.Reader) error {
	return r.Object(func(name string) error {
		switch name {
		case "TableName":
			return readOptional(r, &x.TableName)
		case "Key":
			return readValues(r, &x.Key)
		case "Item":
			return readValues(r, &x.Item)
		case "UpdateExpression":
			return readOptional(r, &x.UpdateExpression)
		case "ConditionExpression":
			return readOptional(r, &x.ConditionExpression)
		case "ReturnValuesOnConditionCheckFailure":
			return readText(r, &x.ReturnValuesOnConditionCheckFailure)
		case "ExpressionAttributeNames":
			if x.ExpressionAttributeNames != nil {
				return errUnusual
			}
			x.ExpressionAttributeNames = map[string]string{}
			return r.Object(func(placeholder string) (err error) {
				x.ExpressionAttributeNames[placeholder], err = r.Text()
				return err
			})
		case "ExpressionAttributeValues":
			return readValues(r, &x.ExpressionAttributeValues)
		}
		return errUnusual
	})
}

func readText(r *attr.Reader, to *string) (err error) {
	*to, err = r.Text()
	return err
}

func readOptional(r *attr.Reader, to **string) error {
	*to = new(string)
	return readText(r, *to)
}

func readValues(r *attr.Reader, to *attr.Item) (err error) {
	*to, err = r.Item()
	return err
}
