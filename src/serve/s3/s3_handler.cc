// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/s3_handler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/encoding.h"
#include "base/random.h"
#include "serve/s3/address.h"
#include "serve/s3/byte_range.h"
#include "serve/s3/dates.h"
#include "serve/s3/list_objects.h"
#include "serve/s3/preconditions.h"
#include "serve/s3/sigv4.h"
#include "serve/s3/xml.h"

namespace frazil::serve::s3 {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr std::string_view kXmlStart = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
// Every region is taken; clients that ask are told the SDKs' default.
constexpr std::string_view kRegion = "us-east-1";

// Queries that name something other than the object's bytes.
constexpr std::array<std::string_view, 10> kObjectExtras = {
    "acl",    "attributes", "legal-hold", "restore",  "retention",
    "select", "tagging",    "torrent",    "uploadId", "uploads"};

HttpResponse XmlAnswer(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/xml"}};
  response.body = std::move(body);
  return response;
}

Status RefuseExtras(const QueryParameters& query) {
  for (const auto& [name, value] : query) {
    if (std::find(kObjectExtras.begin(), kObjectExtras.end(), name) != kObjectExtras.end()) {
      return Error(ErrorCode::kUnsupported, "this endpoint does not offer ?" + name);
    }
    const bool first_part = name == "partNumber" && value == "1";
    const bool only_version = name == "versionId" && value == "null";
    if ((name == "partNumber" && !first_part) || (name == "versionId" && !only_version)) {
      return Error(ErrorCode::kInvalidArgument,
                   "objects here have one part and one version; leave out " + name);
    }
  }
  return {};
}

void AddObjectHeaders(const table::ObjectInfo& info, HttpResponse& response) {
  response.headers.push_back({"ETag", '"' + info.etag + '"'});
  response.headers.push_back({"Last-Modified", FormatHttpDate(info.last_modified)});
  response.headers.push_back({"Accept-Ranges", "bytes"});
}

class S3Handler final : public net::HttpHandler {
 public:
  S3Handler(table::TableCatalog& tables, const VendedKeys& keys, const Clock& clock,
            telemetry::Logger& logger)
      : tables_(tables), keys_(keys), clock_(clock), logger_(logger) {
    std::array<std::uint8_t, 8> seed{};
    FillRandom(seed);
    next_request_ = LoadBigEndian<std::uint64_t>(seed.data());
  }

  // Only the bytes of a data file may have to be made from Kafka.
  bool MayTakeLong(const HttpRequest& request) const override {
    return request.method == "GET" && request.raw_path.find("/data/") != std::string::npos;
  }

  HttpResponse Handle(const HttpRequest& request, const net::RequestContext& context) override {
    const std::string request_id = NewRequestId();
    auto answer = Dispatch(request, context);
    HttpResponse response;
    if (answer.ok()) {
      response = std::move(answer).value();
      if (response.status == 416) AddRangeError(request.raw_path, request_id, response);
    } else {
      LogFailure(request, context, answer.error(), request_id);
      response = ErrorAnswer(answer.error(), request.raw_path, request_id);
      if (response.status == 405) response.headers.push_back({"Allow", "GET, HEAD"});
    }
    response.headers.push_back({"x-amz-request-id", request_id});
    if (request.method == "HEAD") response.body.clear();
    return response;
  }

  HttpResponse Refuse(const Error& error) override {
    const std::string request_id = NewRequestId();
    HttpResponse response = ErrorAnswer(error, "", request_id);
    response.headers.push_back({"x-amz-request-id", request_id});
    return response;
  }

 private:
  Result<HttpResponse> Dispatch(const HttpRequest& request, const net::RequestContext& context) {
    Uuid table_uuid;
    FRAZIL_RETURN_IF_ERROR(Authenticate(request, table_uuid));
    FRAZIL_ASSIGN_OR_RETURN(
        const ObjectAddress address,
        ParseAddress(net::FindHeader(request.headers, "Host").value_or(""), request.raw_path));
    FRAZIL_RETURN_IF_ERROR(CheckBucket(address));
    FRAZIL_RETURN_IF_ERROR(CheckMethod(request.method, address));
    FRAZIL_ASSIGN_OR_RETURN(const auto query, net::ParseQuery(request.raw_query, true));
    if (address.key.empty()) return AnswerBucket(request.method, query, table_uuid);
    if (!LiesWithin(address.key, table_uuid)) {
      return Error(ErrorCode::kAccessDenied,
                   "the access key reads only what lies below its own table's location");
    }
    FRAZIL_RETURN_IF_ERROR(RefuseExtras(query));
    if (request.method == "HEAD") return HeadObject(address.key, request);
    return GetObject(address.key, request, context);
  }

  Status Authenticate(const HttpRequest& request, Uuid& table_uuid) const {
    const auto signer = VerifySignature(
        request, clock_.Now(),
        [this, &table_uuid](std::string_view access_key_id) -> Result<SigningSecret> {
          FRAZIL_ASSIGN_OR_RETURN(auto known, keys_.Find(access_key_id));
          table_uuid = known.table_uuid;
          return SigningSecret{std::move(known.secret_access_key), std::move(known.session_token)};
        });
    if (!signer.ok()) return signer.error();
    return {};
  }

  static Status CheckBucket(const ObjectAddress& address) {
    if (address.bucket.empty()) {
      return Error(ErrorCode::kUnsupported, "this endpoint lists no buckets; its only one is " +
                                                std::string(table::kBucket));
    }
    if (address.bucket != table::kBucket) {
      return Error(ErrorCode::kBucketNotFound, "the only bucket here is " +
                                                   std::string(table::kBucket) + ", there is no " +
                                                   Printable(address.bucket));
    }
    return {};
  }

  static Status CheckMethod(const std::string& method, const ObjectAddress& address) {
    if (method == "GET" || method == "HEAD") return {};
    if (method == "PUT" || method == "POST" || method == "DELETE") {
      const std::string name = Printable(address.key.substr(0, address.key.find('/')));
      return Error(ErrorCode::kReadOnly, (name.empty() ? address.bucket : name) +
                                             " is computed from Kafka and takes no writes");
    }
    return Error(ErrorCode::kMethodNotAllowed,
                 "this endpoint takes GET and HEAD, not " + Printable(method));
  }

  Result<HttpResponse> AnswerBucket(const std::string& method, const QueryParameters& query,
                                    const Uuid& table_uuid) {
    if (method == "HEAD") {
      HttpResponse response;
      response.headers = {{"x-amz-bucket-region", std::string(kRegion)}};
      return response;
    }
    if (FindParameter(query, "location")) {
      // Empty stands for us-east-1.
      return XmlAnswer(std::string(kXmlStart) +
                       "<LocationConstraint "
                       "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"/>");
    }
    if (FindParameter(query, "list-type") != "2") {
      return Error(ErrorCode::kUnsupported,
                   "of a bucket this endpoint offers only ListObjectsV2 (list-type=2), "
                   "GetBucketLocation and HeadBucket");
    }
    FRAZIL_ASSIGN_OR_RETURN(const ListRequest request, ListRequest::Parse(query));
    FRAZIL_ASSIGN_OR_RETURN(std::string xml, ListObjects(tables_, request, table_uuid));
    return XmlAnswer(std::move(xml));
  }

  // The answer to a condition that does not hold; nullopt to go on.
  static Result<std::optional<HttpResponse>> AnswerConditions(const HttpRequest& request,
                                                              const table::ObjectInfo& info) {
    const ConditionOutcome outcome = CheckConditions(request.headers, info);
    if (outcome == ConditionOutcome::kProceed) return std::optional<HttpResponse>();
    if (outcome == ConditionOutcome::kFailed) {
      return Error(ErrorCode::kPreconditionFailed,
                   "the object is not in the state that the request asks for");
    }
    HttpResponse response;
    response.status = 304;
    AddObjectHeaders(info, response);
    return std::optional(std::move(response));
  }

  static ByteRange RangeOf(const HttpRequest& request, const table::ObjectInfo& info) {
    const ByteRange whole{RangeKind::kWhole, 0, info.size};
    if (net::CountHeaders(request.headers, "Range") != 1) return whole;
    if (!RangeApplies(request.headers, info)) return whole;
    return ParseByteRange(*net::FindHeader(request.headers, "Range"), info.size);
  }

  // Status and headers of an object's answer: what GET and HEAD have in common.
  static HttpResponse StartObject(const ByteRange& range, const table::ObjectInfo& info) {
    HttpResponse response;
    if (range.kind == RangeKind::kUnsatisfiable) {
      response.status = 416;
      response.headers = {{"Content-Range", ContentRange(range, info.size)}};
      return response;
    }
    response.headers = {{"Content-Type", "application/octet-stream"}};
    AddObjectHeaders(info, response);
    if (range.kind == RangeKind::kPart) {
      response.status = 206;
      response.headers.push_back({"Content-Range", ContentRange(range, info.size)});
    }
    return response;
  }

  Result<HttpResponse> HeadObject(const std::string& key, const HttpRequest& request) {
    FRAZIL_ASSIGN_OR_RETURN(const table::ObjectInfo info, tables_.StatObject(key));
    FRAZIL_ASSIGN_OR_RETURN(auto early, AnswerConditions(request, info));
    if (early) return *std::move(early);
    const ByteRange range = RangeOf(request, info);
    HttpResponse response = StartObject(range, info);
    if (range.kind != RangeKind::kUnsatisfiable) {
      response.headers.push_back({"Content-Length", std::to_string(range.length)});
    }
    return response;
  }

  Result<HttpResponse> GetObject(const std::string& key, const HttpRequest& request,
                                 const net::RequestContext& context) {
    if (HasConditions(request.headers)) {
      // A file need not be made to say that it is not wanted.
      FRAZIL_ASSIGN_OR_RETURN(const table::ObjectInfo info, tables_.StatObject(key));
      FRAZIL_ASSIGN_OR_RETURN(auto early, AnswerConditions(request, info));
      if (early) return *std::move(early);
    }
    FRAZIL_ASSIGN_OR_RETURN(table::Object object,
                            tables_.ReadObject(key, context.deadline, context.stop));
    if (static_cast<std::int64_t>(object.bytes->size()) != object.info.size) {
      return Error(ErrorCode::kInternal,
                   "an object's size is not the one it was listed with: " + Printable(key));
    }
    const ByteRange range = RangeOf(request, object.info);
    HttpResponse response = StartObject(range, object.info);
    if (range.kind == RangeKind::kUnsatisfiable) return response;
    response.slice =
        net::SharedSlice{std::move(object.bytes), static_cast<std::size_t>(range.begin),
                         static_cast<std::size_t>(range.length)};
    return response;
  }

  // 416 has a header that tells the size, so it starts as an object's answer.
  static void AddRangeError(std::string_view resource, const std::string& request_id,
                            HttpResponse& response) {
    const Error error(ErrorCode::kRangeNotSatisfiable, "the range lies outside the object");
    HttpResponse answer = ErrorAnswer(error, resource, request_id);
    response.body = std::move(answer.body);
    response.headers.insert(response.headers.end(), answer.headers.begin(), answer.headers.end());
  }

  static HttpResponse ErrorAnswer(const Error& error, std::string_view resource,
                                  const std::string& request_id) {
    std::string body = std::string(kXmlStart) + "<Error>";
    body += XmlElement("Code", error.row().s3_code) + XmlElement("Message", error.message());
    body += XmlElement("Resource", resource) + XmlElement("RequestId", request_id) + "</Error>";
    HttpResponse response = XmlAnswer(std::move(body), error.row().s3_status);
    if (error.row().s3_status == 503) response.headers.emplace_back("Retry-After", "2");
    return response;
  }

  // Unlike any other of this process, and most likely of every other.
  std::string NewRequestId() {
    std::array<std::uint8_t, 8> bytes{};
    StoreBigEndian(next_request_.fetch_add(1, std::memory_order_relaxed), bytes.data());
    return HexEncode(bytes);
  }

  void LogFailure(const HttpRequest& request, const net::RequestContext& context,
                  const Error& error, const std::string& request_id) {
    const auto level = error.row().s3_status >= 500 && error.code() != ErrorCode::kUnsupported
                           ? telemetry::LogLevel::kWarn
                           : telemetry::LogLevel::kDebug;
    if (!logger_.Enabled(level)) return;
    logger_.Event(level, "s3_request_failed",
                  {{"method", Printable(request.method)},
                   {"path", Printable(request.raw_path)},
                   {"status", error.row().s3_status},
                   {"error", error.row().name},
                   {"cause", error.message()},
                   {"request_id", request_id},
                   {"peer", context.peer}});
  }

  table::TableCatalog& tables_;
  const VendedKeys& keys_;
  const Clock& clock_;
  telemetry::Logger& logger_;
  std::atomic<std::uint64_t> next_request_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeS3Handler(table::TableCatalog& tables, const VendedKeys& keys,
                                                const Clock& clock, telemetry::Logger& logger) {
  return std::make_unique<S3Handler>(tables, keys, clock, logger);
}

}  // namespace frazil::serve::s3
