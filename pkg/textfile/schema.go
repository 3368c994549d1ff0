package textfile

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// File is an uploaded file, as stored in both of its items. Result is stored only in the
// metadata item. Times are epoch milliseconds.
type File struct {
	FileID       string          `dynamodbav:"fileId"`
	OwnerID      string          `dynamodbav:"ownerId"`
	S3Bucket     string          `dynamodbav:"s3Bucket"`
	S3Key        string          `dynamodbav:"s3Key"`
	FileName     string          `dynamodbav:"originalFileName"`
	Status       lifecycle.State `dynamodbav:"status"`
	CreatedAt    int64           `dynamodbav:"createdAt"`
	UpdatedAt    int64           `dynamodbav:"updatedAt"` // the fence; increases with every move
	Result       *Result         `dynamodbav:"result,omitempty"`
	ErrorMessage string          `dynamodbav:"errorMessage,omitempty"` // only when FAILED
	Charset      string          `dynamodbav:"charset,omitempty"`      // as stated by the last retry, instead of that of the content type
}

// Created returns the time when the file was reserved.
func (f File) Created() time.Time { return time.UnixMilli(f.CreatedAt).UTC() }

// Updated returns the time when the file last changed its state.
func (f File) Updated() time.Time { return time.UnixMilli(f.UpdatedAt).UTC() }

// Retried reports whether a PENDING file was retried: no other move leads back to PENDING.
func (f File) Retried() bool { return f.UpdatedAt != f.CreatedAt }

// Result is the analysis of a text, in the form of the table and of the API.
type Result struct {
	TotalWords    int64       `dynamodbav:"totalWords" json:"totalWords" doc:"words in the text"`
	UniqueWords   int64       `dynamodbav:"uniqueWords" json:"uniqueWords" doc:"different words, compared in lower case"`
	AvgWordLength float64     `dynamodbav:"avgWordLength" json:"avgWordLength" doc:"code points per word, rounded half up to 2 decimals"`
	Top10Words    []WordCount `dynamodbav:"top10Words" json:"top10Words" doc:"most frequent first; equal counts in code point order; a word longer than 1 KiB is truncated and ends with …"`
	Size          int64       `dynamodbav:"size,omitempty" json:"-"` // bytes of the file, which its view has; absent in older results
	// How the text was decoded. Results from before these fields existed have none of them.
	Charset        string `dynamodbav:"charset,omitempty" json:"charset,omitempty" doc:"the charset of the text, such as utf-8 or windows-1251"`
	CharsetSource  string `dynamodbav:"charsetSource,omitempty" json:"charsetSource,omitempty" enum:"mark,declared,detected,assumed" doc:"how the charset was found: by a byte order mark, from the content type, from the bytes, or from the bytes although another charset is nearly as likely"`
	IgnoredCharset string `dynamodbav:"ignoredCharset,omitempty" json:"ignoredCharset,omitempty" doc:"the charset of the content type if the bytes contradict it or it is unknown"`
	Replaced       int64  `dynamodbav:"replaced,omitempty" json:"replaced,omitempty" doc:"the number of places where bytes that the charset does not define were replaced by U+FFFD"`
}

// WordCount is a word and the number of its occurrences.
type WordCount struct {
	Word  string `dynamodbav:"word" json:"word"`
	Count int64  `dynamodbav:"count" json:"count"`
}

const (
	partitionKey     = "PK"
	sortKey          = "SK"
	metaSortKey      = "META"
	filePrefix       = "FILE#"
	ownerPrefix      = "OWNER#"
	keyPrefix        = "KEY#"
	updatedAt        = "updatedAt"
	resultName       = "result"
	errorMessageName = "errorMessage"
	statusName       = "status"
	ownerIDName      = "ownerId"
	charsetName      = "charset"
	fileIDName       = "fileId"
	sizeName         = "size"
)

// attributes returns the attributes of the file without the key. They are those that attributevalue
// would derive from the struct tags.
func (f File) attributes() map[string]table.Value {
	all := map[string]table.Value{
		fileIDName: table.Text(f.FileID), ownerIDName: table.Text(f.OwnerID),
		"s3Bucket": table.Text(f.S3Bucket), "s3Key": table.Text(f.S3Key), "originalFileName": table.Text(f.FileName),
		statusName: table.Text(string(f.Status)), "createdAt": table.Integer(f.CreatedAt), updatedAt: table.Integer(f.UpdatedAt),
	}
	if f.Result != nil {
		all[resultName] = f.Result.value()
	}
	if f.ErrorMessage != "" {
		all[errorMessageName] = table.Text(f.ErrorMessage)
	}
	if f.Charset != "" {
		all[charsetName] = table.Text(f.Charset)
	}
	return all
}

func (r Result) value() table.Value {
	top := make([]table.Value, len(r.Top10Words))
	for i, w := range r.Top10Words {
		top[i] = table.Map(map[string]table.Value{"word": table.Text(w.Word), "count": table.Integer(w.Count)})
	}
	all := map[string]table.Value{
		"totalWords": table.Integer(r.TotalWords), "uniqueWords": table.Integer(r.UniqueWords),
		"avgWordLength": table.Decimal(r.AvgWordLength), "top10Words": table.List(top),
	}
	for name, text := range map[string]string{"charset": r.Charset, "charsetSource": r.CharsetSource, "ignoredCharset": r.IgnoredCharset} {
		if text != "" {
			all[name] = table.Text(text)
		}
	}
	for name, n := range map[string]int64{"replaced": r.Replaced, sizeName: r.Size} {
		if n != 0 {
			all[name] = table.Integer(n)
		}
	}
	return table.Map(all)
}

// Tables returns the table of the area.
func Tables(cfg Config) []table.Schema {
	return []table.Schema{{Create: schema(cfg.Table), Item: File{}}}
}

// schema returns the table to create, with two string keys and no index.
func schema(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(partitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(sortKey), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(partitionKey), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange},
		},
	}
}

// metaKey returns the key of a file's metadata item, the source of truth.
func metaKey(fileID string) table.Key {
	return key(filePrefix+fileID, metaSortKey)
}

// historyKey returns the key of the item that lists a file under its owner.
func historyKey(ownerID, fileID string) table.Key {
	return key(ownerPrefix+ownerID, filePrefix+fileID)
}

// keyKey returns the key of the item of an idempotency key.
func keyKey(hash string) table.Key { return key(keyPrefix+hash, metaSortKey) }

func key(pk, sk string) table.Key {
	return table.Key{
		partitionKey: &types.AttributeValueMemberS{Value: pk},
		sortKey:      &types.AttributeValueMemberS{Value: sk},
	}
}
