package capacity

// Names of the items.
const (
	TextForm      = "text file, form"
	TextPresigned = "text file, presigned"
	FeedItem      = "feed item"
	LibraryFile   = "library file"
	Photo         = "photo"
)

// Contents of the items.
const (
	Words    = 600 // of text files and library files, about 4 KB
	FeedText = "What a lovely day!"
)

// DashboardUnits are the write units that query uses to project a feed item with one tag to the dashboard, alone: rows
// for the item and its tag with their indexes, and counters. TestUnitsOfTheDashboard of e2e/operation measures them.
const DashboardUnits = 22

// Item is what a small item uses from the POST until it is final.
type Item struct {
	Name, What string
	Usage
	Projection float64 // write units of query, at most
}

// Items contains an item of each area and kind of upload. A change must be deliberate: each call adds a few tenths of a
// millisecond to every item, each write adds a sync of the engine, and on AWS each is billed.
//
// The TransactWriteItems calls of text files are the reservation, the claim and the completion, each of two items that
// must be consistent. The `uploaded` call of a presigned upload also reads the item and the attributes of its object.
// The feed's Query calls check for a row whose text was lost, and whether the item was given up or analyzed after its
// event was sent.
var Items = []Item{
	{TextForm, "a text of 4 KB, in a form", Usage{
		Calls: map[string]int{
			"dynamodb TransactWriteItems": 3, "s3 PUT": 1, "s3 GET": 1,
			"nats assay-work": 1, "nats assay.analysis.completed": 1, Ack: 1,
		},
		Bytes: map[string]int64{DynamoDB: 4891, S3: 10077, NATS: 5850}, WriteUnits: 14,
	}, 0},
	{TextPresigned, "the same, with a presigned request", Usage{
		Calls: map[string]int{
			"dynamodb TransactWriteItems": 3, "dynamodb GetItem": 1, "s3 PUT": 1, "s3 HEAD": 1, "s3 GET": 1,
			"nats assay-work": 1, "nats assay.analysis.completed": 1, Ack: 1,
		},
		Bytes: map[string]int64{DynamoDB: 5813, S3: 10077, NATS: 5778}, WriteUnits: 14, ReadUnits: 1,
	}, 0},
	{FeedItem, "a sentence with one tag", Usage{
		Calls: map[string]int{
			"dynamodb PutItem": 1, "dynamodb Query": 2, "dynamodb UpdateItem": 1, "s3 PUT": 1, "s3 GET": 1,
			"nats assay-work": 1, "nats assay.analysis.completed": 1, Ack: 1,
		},
		Bytes: map[string]int64{DynamoDB: 3083, S3: 356, NATS: 4764}, WriteUnits: 2, ReadUnits: 2,
	}, DashboardUnits},
	{Photo, "a JPEG of 160 × 120 pixels that is made grey", Usage{
		Calls: map[string]int{
			"dynamodb PutItem": 1, "dynamodb GetItem": 2, "dynamodb UpdateItem": 4, "s3 PUT": 6, "s3 HEAD": 1, "s3 GET": 1,
			"nats assay-work": 1, "nats assay.analysis.completed": 1, Ack: 1,
		},
		Bytes: map[string]int64{DynamoDB: 6167, S3: 9764, NATS: 5565}, WriteUnits: 18, ReadUnits: 2,
	}, 0},
	{LibraryFile, "a text of 4 KB", Usage{
		Calls: map[string]int{
			"dynamodb TransactWriteItems": 4, "dynamodb PutItem": 1, "dynamodb UpdateItem": 2, "dynamodb GetItem": 10,
			"s3 PUT": 2, "s3 HEAD": 2, "s3 GET": 3,
			"nats assay-work": 3, "nats assay.library.progress": 1, "nats assay.analysis.completed": 1, Ack: 3,
		},
		Bytes: map[string]int64{DynamoDB: 24552, S3: 21745, NATS: 14913}, WriteUnits: 55, ReadUnits: 10,
	}, 0},
}
