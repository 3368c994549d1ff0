# A DAX cluster for reads of the feed's dashboard (ASSAY_DAX_ENDPOINT of query).
data "aws_iam_policy_document" "dax_trust" {
  count = var.dax == null ? 0 : 1

  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["dax.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "dax" {
  count = var.dax == null ? 0 : 1

  statement {
    sid       = "Dashboard"
    actions   = ["dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"]
    resources = [local.table_arns.sentiment_items_dashboard, "${local.table_arns.sentiment_items_dashboard}/index/*"]
  }
}

resource "aws_iam_role" "dax" {
  count = var.dax == null ? 0 : 1

  name               = "${var.name_prefix}-dax"
  assume_role_policy = data.aws_iam_policy_document.dax_trust[0].json
  tags               = local.tags
}

resource "aws_iam_role_policy" "dax" {
  count = var.dax == null ? 0 : 1

  name   = "dashboard"
  role   = aws_iam_role.dax[0].name
  policy = data.aws_iam_policy_document.dax[0].json
}

resource "aws_dax_subnet_group" "this" {
  count = var.dax == null ? 0 : 1

  name       = var.name_prefix
  subnet_ids = var.dax.subnet_ids
}

resource "aws_dax_cluster" "this" {
  count = var.dax == null ? 0 : 1

  cluster_name                     = var.name_prefix
  iam_role_arn                     = aws_iam_role.dax[0].arn
  node_type                        = var.dax.node_type
  replication_factor               = var.dax.nodes
  subnet_group_name                = aws_dax_subnet_group.this[0].name
  security_group_ids               = var.dax.security_group_ids
  cluster_endpoint_encryption_type = "TLS"
  tags                             = local.tags

  server_side_encryption {
    enabled = true
  }
}
