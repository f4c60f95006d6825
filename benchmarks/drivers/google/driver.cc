// Google's matcher, asked by the protocol of benchmarks/programs.py. It keeps nothing: `each` is `decide`.

#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "robots.h"

namespace {

class Nothing : public googlebot::RobotsParseHandler {
  void HandleRobotsStart() override {}
  void HandleRobotsEnd() override {}
  void HandleUserAgent(int, absl::string_view) override {}
  void HandleAllow(int, absl::string_view) override {}
  void HandleDisallow(int, absl::string_view) override {}
  void HandleSitemap(int, absl::string_view) override {}
  void HandleUnknownAction(int, absl::string_view, absl::string_view) override {}
};

struct Question {
  size_t file;
  std::string crawler;
  std::string url;
};

long long Now() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::vector<std::string> files;
  std::vector<Question> questions;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "version") {
      std::cout << VERSION << std::endl;
    } else if (verb == "file") {
      size_t length = 0;
      words >> length;
      std::string text(length, '\0');
      std::cin.read(text.data(), static_cast<std::streamsize>(length));
      std::cin.get();
      files.push_back(std::move(text));
    } else if (verb == "ask") {
      Question question;
      words >> question.file >> question.crawler;
      words.get();
      std::getline(words, question.url);
      questions.push_back(std::move(question));
    } else {
      size_t first = 0, before = 0, times = 0;
      words >> first >> before >> times;
      std::string answers;
      const long long start = Now();
      for (size_t round = 0; round < times; ++round) {
        answers.clear();
        for (size_t place = first; place < before; ++place) {
          if (verb == "read") {
            Nothing handler;
            googlebot::ParseRobotsTxt(files[place], &handler);
            continue;
          }
          const Question& question = questions[place];
          googlebot::RobotsMatcher matcher;
          const bool allowed =
              matcher.OneAgentAllowedByRobots(files[question.file], question.crawler, question.url);
          answers.push_back(allowed ? '1' : '0');
        }
      }
      const long long took = Now() - start;
      std::cout << took;
      if (!answers.empty()) std::cout << ' ' << answers;
      std::cout << std::endl;
    }
  }
}
